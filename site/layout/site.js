// Menu, theme, versions, search and Mermaid's pictures. Without this script the pages and links still work.
const find = (selector) => document.querySelector(selector);
const root = new URL(document.body.dataset.root + '/', location.href);

// menu on a phone
const menu = find('#menu');
find('#menu-button').addEventListener('click', (event) => {
  event.currentTarget.setAttribute('aria-expanded', menu.classList.toggle('open'));
});

// theme
const isDark = () => (document.documentElement.dataset.theme
  ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
const themeButton = find('#theme-button');
themeButton.hidden = false;
themeButton.addEventListener('click', () => {
  document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
  localStorage.setItem('boltwork-theme', document.documentElement.dataset.theme);
  draw();
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => draw());

// Mermaid, which is large, only where a page has a picture
const diagrams = [...document.querySelectorAll('pre.mermaid')].map((element) =>
  ({ element, text: element.textContent }));
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
const input = dialog.querySelector('input');
const results = dialog.querySelector('ol');
const status = dialog.querySelector('[role=status]');
const searchButton = find('#search-button');
const searching = () => import(new URL('pagefind/pagefind.js', root));

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
input.addEventListener('input', async () => {
  const words = input.value;
  const pagefind = await searching();
  const found = await pagefind.debouncedSearch(words, {}, 150);
  if (found === null) {
    return; // more was typed meanwhile
  }
  const pages = await Promise.all(found.results.slice(0, 10).map((result) => result.data()));
  if (words !== input.value) {
    return;
  }
  status.textContent = words.trim() === '' ? '' : found.results.length === 1 ? '1 page'
    : `${found.results.length} pages`;
  results.replaceChildren(
    ...pages.flatMap((page) => page.sub_results.slice(0, 3).map((part) => result(page.meta.title, part))),
  );
});

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
