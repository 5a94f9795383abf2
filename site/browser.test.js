// Opens the finished site in Chromium. CHROMIUM names the program if it is not in one of the usual places.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { pages, version } from './content.js';
import { server } from './serve.js';

const www = fileURLToPath(new URL('target/www/', import.meta.url));
const shots = fileURLToPath(new URL('target/screenshots/', import.meta.url));
const program = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (file) => file && existsSync(file),
);

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
    args: ['--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-component-update',
      ...asRoot],
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
  page.on('console', (message) => ['error', 'warning'].includes(message.type())
    && complaints.push(`${page.url()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error}`));
  page.on('requestfailed', (request) => {
    const why = request.failure().errorText;
    if (why !== 'net::ERR_ABORTED') {
      complaints.push(`${request.url()}: ${why}`); // a picture may be aborted by leaving the page
    }
  });
  page.on('response', (response) => response.status() >= 400
    && complaints.push(`${response.url()}: ${response.status()}`));
  page.on('request', (request) => /^(data|blob):/.test(request.url()) || request.url().startsWith(site)
    || complaints.push(`leaves the host: ${request.url()}`));
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
  await page.waitForSelector('pre.mermaid svg >> nth=1');
  assert.equal(await page.title(), 'Boltwork');
  assert.equal(await page.locator('select#version').inputValue(), version);
  await shoot('light');
});

test('search finds the watchdog', async () => {
  await go('index.html');
  await page.keyboard.press('/');
  await page.keyboard.type('watchdog');
  await page.waitForSelector('#search li a mark');
  assert.match(await page.locator('#search li').first().innerText(), /watchdog/i);
  await shoot('search');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => !location.pathname.endsWith('/index.html'));
  assert.match(await page.locator('main').innerText(), /watchdog/i);
});

test('a link into a page shows its section', async () => {
  await go('spring.html#with-spring-boot-3');
  const place = await page.locator('#with-spring-boot-3').boundingBox();
  assert.ok(place.y > 40 && place.y < 800, `at ${place.y}`);
  assert.ok((await page.evaluate(() => scrollY)) > 900);
  assert.equal(await page.locator('#menu a[aria-current]').innerText(), 'Spring Boot');
});

test('links to sources lead to their text', async () => {
  await go('index.html');
  await page.click('main a:text-is("Tests")');
  await page.waitForURL(/source\/redis\/src\/test\/java\/io\/boltwork\/redis\/RequestCounts\.java\.html$/);
  assert.match(await page.locator('main pre').innerText(), /class RequestCounts/);
});

test('dark and light, by the system or by choice', async () => {
  await open({ viewport: { width: 1400, height: 900 }, colorScheme: 'dark' });
  await go('index.html');
  const dark = await background();
  await shoot('dark');
  await page.locator('pre.mermaid').first().scrollIntoViewIfNeeded();
  await page.waitForSelector('pre.mermaid svg >> nth=0');
  await shoot('dark-picture');
  await page.click('#theme-button');
  const light = await background();
  assert.notEqual(dark, light);
  await go('start/choosing.html');
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
  await go('operations.html');
  await shoot('phone');
  await page.click('#menu-button');
  const menu = await page.locator('#menu').boundingBox();
  assert.ok(menu.y > 40 && menu.y + menu.height <= 844, `the menu is at ${menu.y}, ${menu.height} px high`);
  await shoot('phone-menu');
  await page.click('#menu a:text-is("Security")');
  await page.waitForURL(/security\.html$/);
});

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
  await go('quorum.html');
  assert.equal(await page.locator('#version').innerText(), version);
  assert.match(await page.locator('pre.mermaid').first().innerText(), /\w/);
});
