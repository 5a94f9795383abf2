// Finds links of the site to pages, pictures and anchors that do not exist. Reads the finished pages, as a browser
// does. Javadoc's pages are targets only: javadoc checks its own links.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Returns how many links the pages of a version have, and the dead ones. */
export function check(www, version) {
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
  const files = [...inVersion, 'index.html', 'versions.html'];
  let links = 0;
  const dead = [];
  for (const file of files) {
    for (const [, link] of readFileSync(path.join(www, file), 'utf8').matchAll(/\s(?:href|src)="([^"]*)"/g)) {
      if (/^[a-z]+:/.test(link)) {
        continue;
      }
      links++;
      const [target, anchor] = decodeURI(link.replaceAll('&amp;', '&')).split('#');
      const found = target === '' ? path.join(www, file) : path.resolve(www, path.dirname(file), target);
      if (!existsSync(found) || (anchor && !anchorsOf(found).has(anchor))) {
        dead.push(`${file}: ${link}`);
      }
    }
  }
  return { pages: files.length, links, dead };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { version } = await import('./content.js');
  const { pages, links, dead } = check(fileURLToPath(new URL('target/www/', import.meta.url)), version);
  console.log(`${links} links on ${pages} pages`);
  if (dead.length > 0) {
    console.error(`Dead links:\n${dead.join('\n')}`);
    process.exit(1);
  }
}
