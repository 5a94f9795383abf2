// Writes the list of versions, the page that leads to the newest, and the page for dead addresses, from the folders in
// target/www.
import { readdirSync, writeFileSync } from 'node:fs';
import { home } from './content.js';

const www = new URL('target/www/', import.meta.url);
const isRelease = (version) => !version.endsWith('-SNAPSHOT');
const versions = readdirSync(www, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
const newest = versions.find(isRelease) ?? versions[0];
const link = (version) => `<a href="${version}/index.html">${version}</a>`;
const page = (head, body) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${head}</head>
<body>
<main>
${body}</main>
</body>
</html>
`;
const styled = `<link rel="icon" href="${newest}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${newest}/style.css">
`;
const about = (title, file) => `<title>${title}</title>
<meta name="description" content="Distributed locks for the JVM">
<link rel="canonical" href="${home}/${file}">
`;
const refresh = `<meta http-equiv="refresh" content="0; url=${newest}/index.html">\n`;
const items = versions.map((version) => `<li>${link(version)}</li>\n`).join('');

writeFileSync(new URL('versions.json', www), JSON.stringify(versions) + '\n');
writeFileSync(
  new URL('index.html', www),
  page(about('Boltwork', `${newest}/`) + styled + refresh, `<h1>Boltwork</h1>\n<p>Boltwork ${link(newest)}</p>\n`),
);
writeFileSync(
  new URL('versions.html', www),
  page(about('Versions · Boltwork', 'versions.html') + styled, `<h1>Versions</h1>\n<ul>\n${items}</ul>\n`),
);

// A host shows this page at any address, so it finds the folder of the site by the list of versions.
writeFileSync(
  new URL('404.html', www),
  page(
    `<title>Page not found · Boltwork</title>
<meta name="robots" content="noindex">
<style>
body { margin: 4rem auto; max-width: 36rem; padding: 0 1rem; font: 16px/1.6 system-ui, sans-serif; background: Canvas; }
a { color: LinkText; }
</style>
`,
    `<h1>Page not found</h1>
<p>This version of the documentation has no page with this address. <a href="${home}">Boltwork</a></p>
<script>
(async () => {
  for (let folder = new URL('.', location); ; folder = new URL('..', folder)) {
    const answer = await fetch(new URL('versions.json', folder));
    if (answer.ok) {
      const inside = location.href.slice(folder.href.length).replace(/[?#].*/, '').split('/');
      const versions = await answer.json();
      const version = versions.includes(decodeURIComponent(inside[0])) ? inside[0] : '${newest}';
      document.querySelector('a').href = new URL(version + '/index.html', folder);
      document.querySelector('a').textContent = 'The first page of ' + decodeURIComponent(version);
      return;
    }
    if (folder.pathname === '/') return;
  }
})();
</script>
`,
  ),
);
