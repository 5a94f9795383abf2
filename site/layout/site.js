// Menu, theme, versions, search and Mermaid's pictures. Without this script the pages and links still work.
const find = (selector) => document.querySelector(selector);
const root = new URL(document.body.dataset.root + '/', location.href);

// a section that has left this page
const moved = JSON.parse(document.body.dataset.moved);
function follow() {
  const anchor = decodeURIComponent(location.hash.slice(1));
  const to = anchor && !document.getElementById(anchor) && (moved[anchor] ?? moved['*']?.replace('*', anchor));
  if (to) {
    location.replace(to);
  }
}
addEventListener('hashchange', follow);
follow();

// menu on a phone
const menu = find('#menu');
find('#menu-button').addEventListener('click', (event) => {
  event.currentTarget.setAttribute('aria-expanded', menu.classList.toggle('open'));
});

// theme
const isDark = () =>
  (document.documentElement.dataset.theme ??
    (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
const themeButton = find('#theme-button');
themeButton.hidden = false;
themeButton.addEventListener('click', () => {
  document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
  localStorage.setItem('boltwork-theme', document.documentElement.dataset.theme);
  draw();
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => draw());

// Mermaid, which is large, only where a page has a picture
const diagrams = [...document.querySelectorAll('pre.mermaid')].map((element) => ({
  element,
  text: element.textContent,
}));
let mermaid = null;
async function draw() {
  if (diagrams.length === 0) {
    return;
  }
  mermaid ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = new URL('mermaid.js', root);
    script.onload = () => resolve(window.mermaid);
    script.onerror = reject;
    document.head.append(script);
  });
  const drawer = await mermaid;
  drawer.initialize({ startOnLoad: false, theme: isDark() ? 'dark' : 'default' });
  for (const [i, { element, text }] of diagrams.entries()) {
    element.innerHTML = (await drawer.render(`diagram-${i}`, text)).svg;
  }
}
draw();

// versions
const here = decodeURIComponent(root.pathname.split('/').at(-2));
fetch(new URL('../versions.json', root))
  .then((answer) => answer.json())
  .then((versions) => {
    const choice = document.createElement('select');
    choice.id = 'version';
    choice.ariaLabel = 'Version';
    choice.append(...versions.map((name) => new Option(name, name, name === here, name === here)));
    choice.addEventListener('change', async () => {
      const home = new URL(`../${encodeURIComponent(choice.value)}/`, root);
      const page = new URL(location.href.slice(root.href.length), home);
      const answer = await fetch(page, { method: 'HEAD' });
      location.href = answer.ok ? page : home;
    });
    find('#version').replaceWith(choice);
  });

// search
const dialog = find('#search');
const input = dialog.querySelector('[type=search]');
const records = dialog.querySelector('[type=checkbox]');
const results = dialog.querySelector('ol');
const status = dialog.querySelector('[role=status]');
const searchButton = find('#search-button');
let pagefind = null;
const searching = () =>
  (pagefind ??= import(new URL('pagefind/pagefind.js', root)).then(async (loaded) => {
    await loaded.options({ ranking: { metaWeights: { title: 10, words: 40, sections: 0 } } });
    return loaded;
  }));

function open() {
  dialog.showModal();
  input.select();
  searching();
}
searchButton.hidden = false;
searchButton.addEventListener('click', open);
document.addEventListener('keydown', (event) => {
  const typing = event.target.closest('input, textarea, select');
  if (!dialog.open && !typing && (event.key === '/' || (event.key === 'k' && (event.ctrlKey || event.metaKey)))) {
    event.preventDefault();
    open();
  }
});
dialog.addEventListener('click', (event) => {
  if (event.target === dialog || event.target.closest('a')) {
    dialog.close();
  }
});
dialog.querySelector('form').addEventListener('submit', (event) => {
  if (event.submitter === null) {
    event.preventDefault();
    results.querySelector('a')?.click();
  }
});
input.addEventListener('keydown', (event) => {
  if (event.key === 'Enter') {
    event.preventDefault();
    results.querySelector('a')?.click();
  }
});
input.addEventListener('input', search);
records.addEventListener('change', search);

async function search() {
  const words = input.value;
  const filters = records.checked ? {} : { kind: 'page' };
  const found = await (await searching()).debouncedSearch(words, { filters }, 150);
  if (found === null) {
    return; // more was typed meanwhile
  }
  const pages = await Promise.all(found.results.slice(0, 10).map((result) => result.data()));
  if (words !== input.value) {
    return;
  }
  const isTitle = (page) => page.meta.title.toLowerCase() === words.trim().toLowerCase();
  pages.sort((a, b) => isTitle(b) - isTitle(a));
  status.textContent =
    words.trim() === '' ? '' : found.results.length === 1 ? '1 page' : `${found.results.length} pages`;
  dialog.dataset.found = words;
  results.replaceChildren(
    ...pages.flatMap((page) =>
      best(page, words)
        .slice(0, 3)
        .map((part) => result(page.meta.title, part)),
    ),
  );
}

/** Returns the parts of a page that were found, beginning with the section that site/words.txt names for a word. */
function best(page, words) {
  const score = (part) => Math.max(...part.weighted_locations.map((location) => location.balanced_score));
  const itself = { url: page.url, title: page.meta.title, excerpt: page.excerpt };
  const parts = page.sub_results.length ? page.sub_results.sort((a, b) => score(b) - score(a)) : [itself];
  const sections = JSON.parse(page.meta.sections ?? '{}');
  const word = words
    .toLowerCase()
    .split(/\W+/)
    .find((word) => word in sections);
  if (word === undefined) {
    return parts;
  }
  const url = page.url + (sections[word] && '#' + sections[word]);
  const heading = page.anchors.find((anchor) => anchor.id === sections[word]);
  const meant = parts.find((part) => part.url === url) ?? { url, title: heading?.text ?? itself.title, excerpt: '' };
  return [meant, ...parts.filter((part) => part !== meant)];
}

function result(title, part) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  const heading = document.createElement('strong');
  const excerpt = document.createElement('span');
  link.href = part.url;
  heading.textContent = part.title === title ? title : `${title} › ${part.title}`;
  excerpt.innerHTML = part.excerpt; // the text of our own pages, escaped by Pagefind
  link.append(heading, excerpt);
  item.append(link);
  return item;
}
