// Writes the list of versions, and the page that leads to the newest, from the folders in target/www.
import { readdirSync, writeFileSync } from 'node:fs';

const www = new URL('target/www/', import.meta.url);
const isRelease = (version) => !version.endsWith('-SNAPSHOT');
const versions = readdirSync(www, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
const newest = versions.find(isRelease) ?? versions[0];
const link = (version) => `<a href="${version}/index.html">${version}</a>`;
const page = (head, body) =>
  `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n` +
  `<meta name="viewport" content="width=device-width, initial-scale=1">\n` +
  `<meta name="color-scheme" content="light dark">\n<link rel="icon" href="${newest}/icon.svg">\n` +
  `<link rel="stylesheet" href="${newest}/style.css">\n${head}</head>\n` +
  `<body>\n<main>\n${body}</main>\n</body>\n</html>\n`;

writeFileSync(new URL('versions.json', www), JSON.stringify(versions) + '\n');
writeFileSync(
  new URL('index.html', www),
  page(`<title>Boltwork</title>\n<meta http-equiv="refresh" content="0; url=${newest}/index.html">\n`,
    `<p>Boltwork ${link(newest)}</p>\n`),
);
writeFileSync(
  new URL('versions.html', www),
  page('<title>Versions · Boltwork</title>\n',
    `<h1>Versions</h1>\n<ul>\n${versions.map((version) => `<li>${link(version)}</li>\n`).join('')}</ul>\n`),
);
