// The pages of the site: which Markdown file is which page, and which other files of the repository they link to.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { description, headingText, links, parse } from './markdown.js';

export const repository = fileURLToPath(new URL('..', import.meta.url));

export const read = (file) => readFileSync(path.join(repository, file), 'utf8');

const pom = read('pom.xml');

export const version = pom.match(/<artifactId>boltwork-parent<\/artifactId>\s*<version>([^<]+)</)[1];

/** The address of the project. Pages name it for programs that need a whole address. */
export const home = pom.match(/<url>([^<]+)</)[1];

/** Returns the address of the source of a file at the project's host. */
export const sourceOf = (file) =>
  `${pom.match(/<scm[^]*?<url>([^<]+)</)[1]}/blob/${version.endsWith('-SNAPSHOT') ? 'HEAD' : 'v' + version}/${file}`;

/** The modules whose Javadoc is part of the site. */
export const modules = [
  ['core', 'The API, guards, the backend in memory and the interfaces of backends'],
  ['quorum', 'Locks on a majority of several servers'],
  ['store', 'Locks on any store that can write a record if its version is unchanged'],
  ['redis', 'Locks in Redis and Valkey'],
  ['jdbc', 'Locks in PostgreSQL, MariaDB and H2'],
  ['zookeeper', 'Locks in ZooKeeper'],
  ['etcd', 'Locks in etcd'],
  ['reactive', 'Publishers for Reactor and RxJava'],
  ['annotation', '@DistributedLock, which the starter executes'],
  ['spring', 'The starter for Spring Boot'],
  ['testkit', 'Servers, faults and histories for tests'],
  ['contract', 'The tests that every backend must pass'],
];

/** The parts of the menu, for four kinds of readers, and the files in the root that belong to each. */
const parts = [
  {
    title: 'Start',
    folder: 'start',
    lead: 'You choose a lock, or take your first one.',
    files: ['README', 'CHANGELOG'],
  },
  { title: 'Move', folder: 'move', lead: 'You have locks of another library.', files: [] },
  { title: 'Run', folder: 'run', lead: 'You operate the locks and their servers.', files: [] },
  {
    title: 'Inside',
    folder: 'inside',
    lead: 'You check the promises, or change the code.',
    files: ['ARCHITECTURE', 'CONTRIBUTING', 'CODE_OF_CONDUCT', 'SECURITY'],
  },
  { title: '中文', folder: 'zh', lead: '概览、为什么、Spring 与 Redisson。', files: ['README.zh-CN'] },
];

const titles = { 'README.md': 'Overview', 'README.zh-CN.md': '概览', 'CHANGELOG.md': 'Changelog' };
// the first page of the site is not a Markdown file; docs/run/security.md was once security.html
const names = {
  'README.md': 'start/index.html',
  'README.zh-CN.md': 'zh/index.html',
  'SECURITY.md': 'security-policy.html',
};

function address(file) {
  const plain = file.replace(/^docs\//, '').toLowerCase();
  return (
    names[file] ??
    plain
      .replace(/(^|\/)readme\.md$/, '$1index.html')
      .replace(/\.md$/, '.html')
      .replaceAll('_', '-')
  );
}

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: repository,
  encoding: 'utf8',
})
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
    const title = titles[file] ?? heading;
    const record = /^docs\/inside\/adr\/\d/.test(file);
    return [
      file,
      {
        file,
        text,
        url: '/' + address(file),
        heading,
        title,
        record,
        description: description(tokens),
        links: links(tokens),
      },
    ];
  }),
);

const overview = read('README.md');

function place({ file }) {
  const at = overview.lastIndexOf(`](${file})`);
  return file === 'README.md' ? -1 : at < 0 ? overview.length : at;
}

/** The pages of each part in the order in which the end of README.md lists them. Records have a list of their own. */
export const menu = parts.map(({ title, folder, lead, files }) => ({
  title,
  lead,
  pages: [...pages.values()]
    .filter(
      ({ file, record }) =>
        !record && (file.startsWith(`docs/${folder}/`) || files.includes(file.replace(/\.md$/, ''))),
    )
    .sort((a, b) => place(a) - place(b)),
}));

const listed = new Set(menu.flatMap((part) => part.pages));
for (const page of pages.values()) {
  if (!page.record && !listed.has(page)) {
    throw new Error(`${page.file} is in none of the folders of the menu`);
  }
}

const table = (name) =>
  readFileSync(new URL(name, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
    .map((line) => line.trim().split(/\s+/));

/** Addresses that a version of the site once had. */
export const published = table('published.txt').flat();

/** Addresses of pages and sections that moved, and their new ones. */
export const moved = table('moved.txt');
const urls = new Set(['/index.html', '/api/index.html', ...[...pages.values()].map((page) => page.url)]);

/** Returns the new places of sections that have left a page: anchor, or * for all others -> address. */
export const movedSections = (url) =>
  Object.fromEntries(
    moved
      .filter(([from]) => from.startsWith(url + '#'))
      .map(([from, to]) => [from.slice(url.length + 1), relative(url, to)]),
  );

/** Pages that have left their address: old address -> new one. */
export const redirects = new Map(
  published
    .filter((url) => !urls.has(url))
    .map((url) => {
      const [from, to] =
        moved.find(([from]) => from === url || (from.endsWith('/*') && url.startsWith(from.slice(0, -1)))) ?? [];
      if (!to) {
        throw new Error(`${url} was published, has no page, and is not in site/moved.txt`);
      }
      return [url, to.replace('*', url.slice(from.length - 1))];
    }),
);

/** Words that readers search for, and the section that they mean: word -> address. */
export const words = new Map(
  table('words.txt').flatMap((line) => line.slice(0, -1).map((word) => [word, line.at(-1)])),
);

/** Returns the words whose section is on a page: word -> anchor. */
export const wordsOf = (url) =>
  Object.fromEntries(
    [...words]
      .map(([word, to]) => [word, to.split('#')])
      .flatMap(([word, [to, anchor]]) => (to === url ? [[word, anchor ?? '']] : [])),
  );

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
  ...new Set(
    tracked.filter((file) => file.startsWith(target + '/')).map((file) => file.slice(target.length + 1).split('/')[0]),
  ),
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
  return path.posix
    .normalize(path.posix.join(path.posix.dirname(file), decodeURI(href.replace(/#.*/, ''))))
    .replace(/\/$/, '');
}

/** Returns the address on the site of a link in a Markdown file, for a page with a given address. */
export function linked(file, href, from = pages.get(file).url) {
  if (/^[a-z]+:|^#/.test(href)) {
    return href;
  }
  const target = resolve(file, href);
  const url = pages.get(target)?.url ?? pictures.get(target) ?? sources.get(target);
  const anchor = href.includes('#') ? href.slice(href.indexOf('#')) : '';
  return relative(from, url) + anchor;
}

/** Returns a relative link, so that the site works in any folder of a host. */
export function relative(from, to) {
  const folder = path.posix.dirname('/version' + (from.endsWith('/') ? from + 'index.html' : from));
  return path.posix.relative(folder, path.posix.normalize('/version' + to)) || '.';
}
