// The first page of the site. Its text comes from README.md, whose figures and code are tested.
import { linked, menu, read, relative } from './content.js';
import { escape, renderer } from './markdown.js';

const FILE = 'README.md';
const URL = '/index.html';

/** The rows of the table of peers that are shown. */
const ROWS = ['How it waits', 'The holder learns of a loss', 'Fencing token'];

export function landing() {
  const sections = read(FILE).split(/^## /m);
  const section = (heading) =>
    sections.find((text) => text.startsWith(heading + '\n')) ?? missing(`a section "${heading}"`);
  const markdown = renderer((file, href) => linked(file, href, URL));
  const render = (text) => markdown.render(text, { file: FILE });
  const part = (text, pattern, name) => render(text.match(pattern)?.[0] ?? missing(name));

  const comparison = section('Is it the right one?');
  const row = (name) => comparison.match(new RegExp(`^\\| ${name} .*\\n`, 'm'))?.[0] ?? missing(`a row "${name}"`);
  const speed = section('How fast');
  return `
<h1>Locks that several JVMs share</h1>
<div class="lead">${part(sections[0], /^(?:\w.*\n)+/m, 'a first paragraph')}</div>
<p class="ways"><a class="way" href="${relative(URL, '/start/index.html')}#add-it">Add it</a>
<a href="${relative(URL, '/start/why.html')}">Why not write it yourself?</a></p>
${part(section('Use it'), /^```java\n[^]*?\n```\n/m, 'an example of its use')}
<h2 id="beside-others">Beside others</h2>
${render(comparison.match(/^\|.*\n\|[-|]+\n/m)?.[0] + ROWS.map(row).join(''))}
<p><a href="${relative(URL, '/start/index.html')}#is-it-the-right-one">All rows</a>, and where a peer does better</p>
<h2 id="figures">Figures</h2>
${part(speed, /^!\[.*\n/m, 'a picture of the speed')}
${part(speed, /^- [^]*?(?=\n\n)/m, 'a list of figures')}
<h2 id="read-on">Read on</h2>
<div class="readers">${menu.map(reader).join('\n')}</div>`;
}

function reader({ title, lead, pages }) {
  const items = pages
    .slice(0, 8)
    .map((page) => `<li><a href="${relative(URL, page.url)}">${escape(page.title)}</a></li>`);
  return `<section><h3>${title}</h3><p>${lead}</p><ul>${items.join('')}</ul></section>`;
}

function missing(part) {
  throw new Error(`${FILE} has no longer ${part}, which the first page of the site shows`);
}
