// Finds links of the site to pages, pictures and anchors that do not exist, new places of sections included, and
// addresses that are lost or not listed. Reads the finished pages, as a browser does.
// Javadoc's pages are targets only: javadoc checks its own links.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Returns how many links a version has, those that are dead, and the addresses that are lost or not listed. */
export function check(www, version, published, words = new Map()) {
  const anchors = new Map();
  const anchorsOf = (file) => {
    if (!anchors.has(file)) {
      const html = readFileSync(file, 'utf8');
      anchors.set(file, new Set([...html.matchAll(/\s(?:id|name)="([^"]*)"/g)].map((match) => match[1])));
    }
    return anchors.get(file);
  };

  const inVersion = readdirSync(path.join(www, version), { recursive: true })
    .filter((file) => file.endsWith('.html') && !/^(api[\\/].+[\\/]|pagefind[\\/])/.test(file))
    .map((file) => path.join(version, file));
  const isThere = (file, anchor) => existsSync(file) && (!anchor || anchorsOf(file).has(anchor));
  const files = [...inVersion, 'index.html', 'versions.html'];
  let links = 0;
  const dead = [];
  for (const file of files) {
    const html = readFileSync(path.join(www, file), 'utf8');
    const moved = JSON.parse((html.match(/\sdata-moved="([^"]*)"/)?.[1] ?? '{}').replaceAll('&quot;', '"'));
    const stale = Object.keys(moved).filter((anchor) => anchorsOf(path.join(www, file)).has(anchor));
    dead.push(...stale.map((anchor) => `${file}: #${anchor} is said to have moved, and is still there`));
    const targets = Object.values(moved).map((target) => target.replace('#*', ''));
    for (const link of [...[...html.matchAll(/\s(?:href|src)="([^"]*)"/g)].map((match) => match[1]), ...targets]) {
      if (/^[a-z]+:/.test(link)) {
        continue;
      }
      links++;
      const [target, anchor] = decodeURI(link.replaceAll('&amp;', '&')).split('#');
      const found = target === '' ? path.join(www, file) : path.resolve(www, path.dirname(file), target);
      if (!isThere(found, anchor)) {
        dead.push(`${file}: ${link}`);
      }
    }
  }
  for (const [word, address] of words) {
    const [target, anchor] = address.split('#');
    if (!isThere(path.join(www, version, target), anchor)) {
      dead.push(`site/words.txt, ${word}: ${address}`);
    }
  }
  const addresses = inVersion.map((file) => '/' + path.posix.relative(version, file.replaceAll('\\', '/')));
  const lost = published.filter((address) => !addresses.includes(address));
  const unlisted = addresses.filter((address) => !address.startsWith('/source/') && !published.includes(address));
  return { pages: files.length, links, dead, lost, unlisted };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { published, version, words } = await import('./content.js');
  const { pages, links, ...faults } = check(
    fileURLToPath(new URL('target/www/', import.meta.url)),
    version,
    published,
    words,
  );
  console.log(`${links} links on ${pages} pages`);
  const names = {
    dead: 'Dead links',
    lost: 'Lost addresses, which need a line in site/moved.txt',
    unlisted: 'Not in site/published.txt',
  };
  for (const [fault, found] of Object.entries(faults).filter(([, found]) => found.length > 0)) {
    console.error(`${names[fault]}:\n${found.join('\n')}`);
    process.exitCode = 1;
  }
}
