import path from 'node:path';
import {
  entries,
  home,
  linked,
  menu,
  modules,
  movedSections,
  pages,
  pictures,
  read,
  redirects,
  relative,
  repository,
  sourceOf,
  sources,
  version,
  wordsOf,
} from './content.js';
import { landing } from './landing.js';
import { escape, highlight, renderer } from './markdown.js';

const languages = { java: 'java', kt: 'kotlin', lua: 'lua', json: 'json', yml: 'yaml', xml: 'xml', sql: 'sql' };

export default function (eleventy) {
  const javadoc = process.env.SITE_JAVADOC !== 'no';

  eleventy.setQuietMode(true);
  eleventy.setUseGitIgnore(false);
  eleventy.setLibrary('md', renderer(linked));
  eleventy.addGlobalData('layout', 'page.njk');
  eleventy.addGlobalData('site', { version, menu, modules, javadoc });
  eleventy.addFilter('from', (to, url) => relative(url, to));
  eleventy.addFilter('sections', (html) =>
    [...html.matchAll(/<h2 id="([^"]+)">(.*?) <a class="anchor"/g)].map(([, id, text]) => ({
      id,
      text: text.replace(/<[^>]+>/g, ''),
    })),
  );

  eleventy.addFilter('whole', (url) => `${home}/${version}${url.replace(/\/index\.html$/, '/')}`);
  eleventy.addFilter('keys', (object) => Object.keys(object).join(' '));
  eleventy.addFilter('moved', (url) => movedSections(url.replace(/\/$/, '/index.html')));
  eleventy.addFilter('sourceOf', sourceOf);

  eleventy.addTemplate('landing.html', landing(), {
    file: 'README.md',
    title: 'Boltwork',
    landing: true,
    description: pages.get('README.md').description,
    permalink: 'index.html',
  });
  for (const page of pages.values()) {
    const { file, title, record, description, url, text } = page;
    const words = wordsOf(url);
    const searched = { searched: true, words: Object.keys(words).length ? words : null };
    const chinese = url.startsWith('/zh/');
    const shown = { title, record, description, chinese };
    eleventy.addTemplate(file, text, { file, permalink: url.slice(1), ...shown, ...searched });
  }
  for (const [url, to] of redirects) {
    const [target] = to.split('#');
    const title = [...pages.values()].find((page) => page.url === target)?.title;
    eleventy.addTemplate(`moved${url}`, '', { layout: 'moved.njk', title, to, permalink: url.slice(1) });
  }
  for (const [source, url] of sources) {
    eleventy.addTemplate(`source/${source}.html`, url.endsWith('/index.html') ? folder(source, url) : code(source), {
      file: source,
      title: source,
      description: `${source} of Boltwork ${version}`,
      permalink: url.slice(1),
    });
  }
  for (const [picture, url] of pictures) {
    eleventy.addPassthroughCopy({ [path.join(repository, picture)]: url.slice(1) });
  }
  eleventy.addPassthroughCopy({
    'layout/style.css': 'style.css',
    'layout/site.js': 'site.js',
    '../docs/icon.svg': 'icon.svg',
    'node_modules/@mermaid-js/tiny/dist/mermaid.tiny.js': 'mermaid.js',
  });

  return {
    dir: { input: 'pages', includes: '../layout', output: `target/www/${version}` },
    markdownTemplateEngine: false,
    htmlTemplateEngine: false,
  };
}

function code(source) {
  const text = highlight(read(source), languages[source.split('.').pop()]);
  return `<h1 class="path">${escape(source)}</h1>\n<pre tabindex="0"><code>${text}</code></pre>`;
}

function folder(source, url) {
  const items = entries(source).map(
    (name) => `<li><a href="${relative(url, sources.get(`${source}/${name}`))}">${escape(name)}</a></li>`,
  );
  return `<h1 class="path">${escape(source)}</h1>\n<ul>${items.join('\n')}</ul>`;
}
