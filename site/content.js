// The pages of the site: which Markdown file is which page, and which other files of the repository they link to.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { headingText, links, parse } from './markdown.js';

export const repository = fileURLToPath(new URL('..', import.meta.url));

export const read = (file) => readFileSync(path.join(repository, file), 'utf8');

export const version = read('pom.xml').match(/<artifactId>boltwork-parent<\/artifactId>\s*<version>([^<]+)</)[1];

/** The modules whose Javadoc is part of the site. */
export const modules = [
  ['core', 'The API, guards, the backend in memory and the interfaces of backends'],
  ['quorum', 'Locks on a majority of several servers'],
  ['store', 'Locks on any store that can write a record if its version is unchanged'],
  ['redis', 'Locks in Redis and Valkey'],
  ['jdbc', 'Locks in PostgreSQL, MariaDB and H2'],
  ['zookeeper', 'Locks in ZooKeeper'],
  ['reactive', 'Publishers for Reactor and RxJava'],
  ['spring', 'The starter for Spring Boot'],
  ['testkit', 'Servers, faults and histories for tests'],
  ['contract', 'The tests that every backend must pass'],
];

const sections = [
  ['Start', ['README', 'docs/start/why', 'docs/start/choosing', 'docs/start/sale', 'CHANGELOG']],
  [
    'Use it',
    ['docs/start/fencing', 'docs/start/spring', 'docs/start/reactive', 'docs/start/stores', 'docs/run/quorum'],
  ],
  ['Move to it', ['docs/move/redisson', 'docs/move/others']],
  [
    'Run it',
    [
      'docs/run/operations',
      'docs/run/tools',
      'docs/run/dashboards',
      'docs/run/messages',
      'docs/run/servers',
      'docs/run/security',
      'docs/run/cluster',
      'docs/run/compatibility',
    ],
  ],
  [
    'Trust it',
    [
      'docs/inside/guarantees',
      'docs/inside/proof',
      'docs/inside/track-record',
      'docs/inside/measurements/README',
      'docs/inside/measurements/performance',
      'docs/inside/measurements/stores',
      'docs/inside/measurements/scale',
      'docs/inside/measurements/reactive',
      'docs/inside/measurements/promises',
      'docs/inside/measurements/redisson-tests',
    ],
  ],
  [
    'Change it',
    [
      'CONTRIBUTING',
      'CODE_OF_CONDUCT',
      'SECURITY',
      'ARCHITECTURE',
      'docs/inside/protocol',
      'docs/inside/releasing',
      'docs/inside/connections',
      'docs/inside/synchronization',
      'docs/inside/adr/README',
    ],
  ],
];

const titles = { 'README.md': 'Overview', 'CHANGELOG.md': 'Changelog' };
const names = { 'SECURITY.md': 'security-policy.html' }; // its address before the pages had folders

function address(file) {
  const plain = file.replace(/^docs\//, '').toLowerCase();
  return names[file] ?? plain.replace(/(^|\/)readme\.md$/, '$1index.html').replace(/\.md$/, '.html')
    .replaceAll('_', '-');
}

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'],
  { cwd: repository, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file && existsSync(path.join(repository, file)));

const isPage = (file) => file.endsWith('.md') && (!file.includes('/') || file.startsWith('docs/'));

/** Markdown file -> page. */
export const pages = new Map(
  tracked.filter(isPage).map((file) => {
    const text = read(file);
    const tokens = parse(text);
    const heading = headingText(tokens);
    if (!heading) {
      throw new Error(`${file} does not begin with a heading`);
    }
    return [file, { file, text, url: '/' + address(file), heading, title: titles[file] ?? heading,
      links: links(tokens) }];
  }),
);

export const menu = sections.map(([title, files]) => ({
  title,
  pages: files.map((name) => {
    const page = pages.get(name + '.md');
    if (!page) {
      throw new Error(`The menu has a page without a file: ${name}.md`);
    }
    page.section = title;
    return page;
  }),
}));

for (const page of pages.values()) {
  if (!page.section && page.file.startsWith('docs/inside/adr/')) {
    page.section = 'Change it';
  } else if (!page.section) {
    throw new Error(`${page.file} is not in the menu of site/content.js`);
  }
}

/** Pictures, which are copied: file -> address. */
export const pictures = new Map();

/** Files and folders of the repository that a page links to, and all in these folders: path -> address. */
export const sources = new Map();

function addSource(target) {
  if (sources.has(target)) {
    return;
  }
  const inside = tracked.filter((file) => file.startsWith(target + '/'));
  sources.set(target, `/source/${target}${inside.length ? '/index' : ''}.html`);
  inside.forEach((file) => addSource(target + '/' + file.slice(target.length + 1).split('/')[0]));
}

/** Returns the names of the files and folders in a folder of the repository. */
export const entries = (target) => [
  ...new Set(tracked.filter((file) => file.startsWith(target + '/'))
    .map((file) => file.slice(target.length + 1).split('/')[0])),
];

const dead = [];
for (const page of pages.values()) {
  for (const href of page.links) {
    if (/^[a-z]+:|^#/.test(href)) {
      continue;
    }
    const target = resolve(page.file, href);
    if (pages.has(target)) {
      continue;
    }
    if (!tracked.some((file) => file === target || file.startsWith(target + '/'))) {
      dead.push(`${page.file}: ${href}`);
    } else if (/\.(png|gif|svg)$/.test(target)) {
      pictures.set(target, '/pictures/' + target.replace(/^docs\//, ''));
    } else {
      addSource(target);
    }
  }
}
if (dead.length) {
  throw new Error('Dead links:\n' + dead.join('\n'));
}

function resolve(file, href) {
  return path.posix.normalize(path.posix.join(path.posix.dirname(file), decodeURI(href.replace(/#.*/, ''))))
    .replace(/\/$/, '');
}

/** Returns the address on the site of a link in a Markdown file. */
export function linked(file, href) {
  if (/^[a-z]+:|^#/.test(href)) {
    return href;
  }
  const target = resolve(file, href);
  const url = pages.get(target)?.url ?? pictures.get(target) ?? sources.get(target);
  const anchor = href.includes('#') ? href.slice(href.indexOf('#')) : '';
  return relative(pages.get(file).url, url) + anchor;
}

/** Returns a relative link, so that the site works in any folder of a host. */
export function relative(from, to) {
  const folder = path.posix.dirname('/version' + (from.endsWith('/') ? from + 'index.html' : from));
  return path.posix.relative(folder, path.posix.normalize('/version' + to)) || '.';
}
