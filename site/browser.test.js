// Opens the finished site in Chromium. CHROMIUM names the program if it is not in one of the usual places.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { home, moved, movedSections, pages, redirects, version, words } from './content.js';
import { server } from './serve.js';

const www = fileURLToPath(new URL('target/www/', import.meta.url));
const shots = fileURLToPath(new URL('target/screenshots/', import.meta.url));
const program = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (file) => file && existsSync(file),
);

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser;
let site;
let context;
let page;
let complaints;

before(async () => {
  assert.ok(program, 'No Chromium');
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  site = `http://127.0.0.1:${server.address().port}/docs/`;
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  browser = await chromium.launch({
    executablePath: program,
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      ...asRoot,
    ],
  });
  mkdirSync(shots, { recursive: true });
});

after(async () => {
  await browser?.close();
  server.close();
});

beforeEach(() => open({ viewport: { width: 1400, height: 900 } }));

async function open(options) {
  await context?.close();
  context = await browser.newContext(options);
  page = await context.newPage();
  page.setDefaultTimeout(20_000);
  complaints = [];
  page.on(
    'console',
    (message) => ['error', 'warning'].includes(message.type()) && complaints.push(`${page.url()}: ${message.text()}`),
  );
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error}`));
  page.on('requestfailed', (request) => {
    const why = request.failure().errorText;
    if (why !== 'net::ERR_ABORTED') {
      complaints.push(`${request.url()}: ${why}`); // a picture may be aborted by leaving the page
    }
  });
  page.on(
    'response',
    (response) => response.status() >= 400 && complaints.push(`${response.url()}: ${response.status()}`),
  );
  page.on(
    'request',
    (request) =>
      /^(data|blob):/.test(request.url()) ||
      request.url().startsWith(site) ||
      complaints.push(`leaves the host: ${request.url()}`),
  );
}

afterEach(() => assert.deepEqual(complaints, []));

const go = (address) => page.goto(site + version + '/' + address, { waitUntil: 'networkidle' });
const shoot = (name) => page.screenshot({ path: path.join(shots, name + '.png') });
const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
const overflow = () => page.evaluate(() => document.documentElement.scrollWidth).then((width) => width - 390);

test('the first page leads to the newest version', async () => {
  await page.goto(site);
  await page.waitForURL(`${site}${version}/index.html`);
  await page.waitForSelector('select#version');
  assert.equal(await page.title(), 'Boltwork');
  assert.equal(await page.locator('select#version').inputValue(), version);
  for (const text of ['Boltwork', 'LockClient.create', 'How it waits', 'Start', 'Move', 'Run', 'Inside']) {
    assert.ok((await page.locator('main').innerText()).includes(text), text);
  }
  await shoot('light');
  await page.click('main a:text-is("Overview")');
  await page.waitForURL(/start\/index\.html$/);
  await page.waitForSelector('pre.mermaid svg >> nth=1');
});

test('each page has an icon, a description, a whole address and a link to its source', () => {
  const descriptions = new Set();
  for (const url of ['/index.html', ...[...pages.values()].map((page) => page.url)]) {
    const html = readFileSync(path.join(www, version, url), 'utf8');
    const content = (pattern) => html.match(pattern)?.[1];
    const whole = `${home}/${version}${url.replace(/index\.html$/, '')}`;
    assert.equal(content(/<link rel="canonical" href="([^"]+)">/), whole);
    assert.equal(content(/<meta property="og:url" content="([^"]+)">/), whole);
    const description = content(/<meta name="description" content="([^"]+)">/);
    assert.ok(description.length >= 30 && description.length < 350, `${url}: ${description}`);
    assert.equal(content(/<meta property="og:description" content="([^"]+)">/), description);
    assert.ok(html.includes(`<title>${content(/<meta property="og:title" content="([^"]+)">/)}</title>`), url);
    assert.match(content(/<link rel="icon" href="([^"]+)"/), /^(\.\.\/)*icon\.svg$/);
    assert.match(content(/<a href="([^"]+)">Source of this page/), /^https:.*\/blob\/.*\.md$/);
    descriptions.add(description);
  }
  assert.equal(descriptions.size, pages.size, 'the first page has that of the overview');
});

test('old addresses lead to the new ones, and keep the anchor', async () => {
  for (const [from, to] of redirects) {
    const keeps = !to.includes('#') || movedSections(from)['*'];
    const target = `${site}${version}${keeps ? to.replace(/#.*/, '') + '#here' : to}`;
    await page.goto(`${site}${version}${from}#here`, { waitUntil: 'commit' });
    await page.waitForURL(target, { waitUntil: 'commit' });
  }
  for (const [from, to] of moved.filter(([from]) => /#[^*]/.test(from))) {
    await page.goto(`${site}${version}${from}`, { waitUntil: 'commit' });
    await page.waitForURL(`${site}${version}${to}`, { waitUntil: 'commit' });
  }
  await go('index.html#what-a-lease-is');
  await page.waitForURL(/start\/index\.html#what-a-lease-is$/);
  await open({ javaScriptEnabled: false });
  await page.goto(`${site}${version}/why.html`);
  await page.waitForURL(/start\/why\.html$/);
});

test('a dead address leads back to its version', async () => {
  const folder = `${site}${version}/start/none`;
  await page.goto(folder + '/none.html');
  assert.equal(await page.locator('h1').innerText(), 'Page not found');
  await shoot('404');
  await page.click(`main a:text-is("The first page of ${version}")`);
  await page.waitForURL(`${site}${version}/index.html`);
  const missing = complaints.filter((complaint) => complaint.includes('404'));
  assert.ok(missing.length > 0 && missing.length === complaints.length, complaints.join('\n'));
  complaints.length = 0;
});

async function searchFor(text) {
  await page.fill('#search input[type=search]', text);
  await page.waitForFunction((text) => document.querySelector('#search').dataset.found === text, text);
  return page.locator('#search li a').evaluateAll((links) => links.map((link) => link.href));
}

test('search finds the page that a word means first', async () => {
  await go('index.html');
  await page.keyboard.press('/');
  const wrong = [];
  for (const [word, to] of words) {
    const [first] = await searchFor(word);
    if (first !== `${site}${version}${to}`) {
      wrong.push(`${word}: ${first} instead of ${to}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('search finds titles first', async () => {
  await go('index.html');
  await page.keyboard.press('/');
  const wrong = [];
  for (const { url, title, record } of pages.values()) {
    const [first] = record ? [] : await searchFor(title);
    if (!record && first?.replace(/#.*/, '') !== `${site}${version}${url}`) {
      wrong.push(`${title}: ${first} instead of ${url}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('search leaves records of decisions out, unless they are wanted', async () => {
  const isRecord = (link) => /\/adr\/\d/.test(link);
  await go('index.html');
  await page.keyboard.press('/');
  const without = await searchFor('Pagefind');
  assert.ok(!without.some(isRecord), without.join('\n'));
  await page.check('#search input[type=checkbox]');
  await page.waitForSelector('#search li a[href*="/adr/0051-site.html"]');
});

test('search finds the watchdog', async () => {
  await go('index.html');
  await page.keyboard.press('/');
  await page.keyboard.type('watchdog');
  await page.waitForSelector('#search li a mark');
  assert.match(await page.locator('#search').innerText(), /watchdog/i);
  await shoot('search');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${site}${version}${words.get('watchdog')}`);
});

test('a link into a page shows its section', async () => {
  await go('start/spring.html#with-spring-boot-3');
  const place = await page.locator('#with-spring-boot-3').boundingBox();
  assert.ok(place.y > 40 && place.y < 800, `at ${place.y}`);
  assert.ok((await page.evaluate(() => scrollY)) > 900);
  assert.equal(await page.locator('#menu a[aria-current]').innerText(), 'Spring Boot');
});

test('links to sources lead to their text', async () => {
  await go('start/index.html');
  await page.click('main a:text-is("Tests")');
  await page.waitForURL(/source\/redis\/src\/test\/java\/io\/boltwork\/redis\/RequestCounts\.java\.html$/);
  assert.match(await page.locator('main pre').innerText(), /class RequestCounts/);
});

test('dark and light, by the system or by choice', async () => {
  await open({ viewport: { width: 1400, height: 900 }, colorScheme: 'dark' });
  await go('index.html');
  await shoot('dark-first');
  await go('start/index.html');
  const dark = await background();
  await shoot('dark');
  await page.locator('pre.mermaid').first().scrollIntoViewIfNeeded();
  await page.waitForSelector('pre.mermaid svg >> nth=0');
  await shoot('dark-picture');
  await page.click('#theme-button');
  const light = await background();
  assert.notEqual(dark, light);
  await go('start/why.html');
  assert.equal(await background(), light);
});

test('each page opens on a phone, without scrolling sideways', async () => {
  await open({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
  for (const { url, heading } of pages.values()) {
    await go(url.slice(1));
    assert.ok((await page.locator('h1').first().innerText()).includes(heading), url);
    assert.ok((await overflow()) <= 0, `${url}: ${await overflow()} px too wide`);
    const diagrams = await page.locator('pre.mermaid').count();
    if (diagrams > 0) {
      await page.waitForSelector(`pre.mermaid svg >> nth=${diagrams - 1}`);
    }
  }
  await go('index.html');
  assert.ok((await overflow()) <= 0, `the first page is ${await overflow()} px too wide`);
  await shoot('phone-first');
  await go('run/operations.html');
  await shoot('phone');
  await page.click('#menu-button');
  const menu = await page.locator('#menu').boundingBox();
  assert.ok(menu.y > 40 && menu.y + menu.height <= 844, `the menu is at ${menu.y}, ${menu.height} px high`);
  await shoot('phone-menu');
  await page.click('#menu a:text-is("Security")');
  await page.waitForURL(/run\/security\.html$/);
});

for (const colorScheme of ['light', 'dark']) {
  for (const viewport of [
    { width: 1400, height: 900 },
    { width: 390, height: 844 },
  ]) {
    test(`axe finds nothing, ${colorScheme}, ${viewport.width} px`, async () => {
      await open({ viewport, colorScheme });
      for (const address of [
        'index.html',
        'start/index.html',
        'start/spring.html',
        'run/operations.html',
        'api/index.html',
        '../404.html',
        '../versions.html',
      ]) {
        await go(address);
        assert.deepEqual(await axeFinds(), [], address);
      }
      await go('index.html');
      await page.click('#search-button');
      await searchFor('redis');
      assert.deepEqual(await axeFinds(), [], 'search');
    });
  }
}

async function axeFinds() {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await window.axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
  });
}

test('Javadoc is below the version', { skip: !existsSync(path.join(www, version, 'api/core')) }, async () => {
  await go('index.html');
  await page.click('header a.api');
  await page.click('main a:text-is("boltwork-core")');
  await page.waitForURL(/api\/core\/index\.html$/);
  await go('api/core/io.boltwork.core/io/boltwork/LockClient.html');
  assert.match(await page.title(), /^LockClient/);
  await shoot('javadoc');
});

test('pages can be read without scripts', async () => {
  await open({ javaScriptEnabled: false });
  await go('run/quorum.html');
  assert.equal(await page.locator('#version').innerText(), version);
  assert.match(await page.locator('pre.mermaid').first().innerText(), /\w/);
});
