import path from 'node:path';
import { entries, linked, menu, modules, pages, pictures, read, relative, repository, sources,
  version } from './content.js';
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
    [...html.matchAll(/<h2 id="([^"]+)">(.*?) <a class="anchor"/g)].map(([, id, text]) =>
      ({ id, text: text.replace(/<[^>]+>/g, '') })),
  );

  for (const page of pages.values()) {
    eleventy.addTemplate(page.file, page.text, {
      file: page.file,
      title: page.title,
      permalink: page.url.slice(1),
      searched: true,
    });
  }
  for (const [source, url] of sources) {
    eleventy.addTemplate(`source/${source}.html`, url.endsWith('/index.html') ? folder(source, url) : code(source), {
      title: source,
      permalink: url.slice(1),
    });
  }
  for (const [picture, url] of pictures) {
    eleventy.addPassthroughCopy({ [path.join(repository, picture)]: url.slice(1) });
  }
  eleventy.addPassthroughCopy({
    'layout/style.css': 'style.css',
    'layout/site.js': 'site.js',
    'layout/icon.svg': 'icon.svg',
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
  return `<h1 class="path">${escape(source)}</h1>\n<pre><code>${text}</code></pre>`;
}

function folder(source, url) {
  const items = entries(source)
    .map((name) => `<li><a href="${relative(url, sources.get(`${source}/${name}`))}">${escape(name)}</a></li>`);
  return `<h1 class="path">${escape(source)}</h1>\n<ul>${items.join('\n')}</ul>`;
}
