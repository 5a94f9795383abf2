import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { check } from './check.js';
import { description, parse, renderer } from './markdown.js';

test('dead links and anchors are found', () => {
  const www = mkdtempSync(path.join(tmpdir(), 'boltwork-site'));
  try {
    mkdirSync(path.join(www, '1.0', 'adr'), { recursive: true });
    writeFileSync(path.join(www, 'index.html'), '<a href="1.0/a.html">');
    writeFileSync(path.join(www, 'versions.html'), '<a href="2.0/index.html">');
    writeFileSync(
      path.join(www, '1.0', 'a.html'),
      '<h2 id="here"></h2><a href="#here"><a href="#gone"><a href="adr/b.html#there">',
    );
    writeFileSync(
      path.join(www, '1.0', 'adr', 'b.html'),
      '<i id="there"></i><a href="../a.html#here"><a href="../a.html#gone"><img src="no.png">' +
        '<a href="https://example.org/">',
    );
    const { links, dead } = check(www, '1.0', []);
    assert.equal(links, 8);
    assert.deepEqual(dead.sort(), [
      '1.0/a.html: #gone',
      '1.0/adr/b.html: ../a.html#gone',
      '1.0/adr/b.html: no.png',
      'versions.html: 2.0/index.html',
    ]);
  } finally {
    rmSync(www, { recursive: true });
  }
});

test('new places that do not exist, and lost addresses, are found', () => {
  const www = mkdtempSync(path.join(tmpdir(), 'boltwork-site'));
  try {
    mkdirSync(path.join(www, '1.0', 'source'), { recursive: true });
    writeFileSync(path.join(www, 'index.html'), '');
    writeFileSync(path.join(www, 'versions.html'), '');
    writeFileSync(path.join(www, '1.0', 'source', 'a.java.html'), '');
    writeFileSync(
      path.join(www, '1.0', 'old.html'),
      '<body data-moved="{&quot;a&quot;:&quot;new.html#b&quot;}"><a href="gone.html">',
    );
    writeFileSync(
      path.join(www, '1.0', 'new.html'),
      '<body data-moved="{&quot;c&quot;:&quot;old.html&quot;,&quot;*&quot;:&quot;old.html#*&quot;}"><i id="c">',
    );
    const { dead, lost, unlisted } = check(
      www,
      '1.0',
      ['/old.html', '/older.html'],
      new Map([
        ['stuck', '/new.html#c'],
        ['cron', '/new.html#d'],
      ]),
    );
    assert.deepEqual(dead.sort(), [
      '1.0/new.html: #c is said to have moved, and is still there',
      '1.0/old.html: gone.html',
      '1.0/old.html: new.html#b',
      'site/words.txt, cron: /new.html#d',
    ]);
    assert.deepEqual(lost, ['/older.html']);
    assert.deepEqual(unlisted, ['/new.html']);
  } finally {
    rmSync(www, { recursive: true });
  }
});

test('a description is the first sentence or two of a page', () => {
  const of = (text) => description(parse(`# Title\n\n> a note\n\n${text}\n\nMore.`));
  assert.equal(
    of('Locks in `Redis` and other stores. They are\n[fast](a.md). No more.'),
    'Locks in Redis and other stores. They are fast.',
  );
  assert.equal(of('word '.repeat(99)), 'word '.repeat(31) + 'word …');
});

test('anchors are those of GitHub', () => {
  const html = renderer((file, href) => href).render('## The way of one `lock()`\n## A\n## A\n## What, and why?\n', {
    file: 'a.md',
  });
  const anchors = [...html.matchAll(/id="([^"]+)"/g)].map((match) => match[1]);
  assert.deepEqual(anchors, ['the-way-of-one-lock', 'a', 'a-1', 'what-and-why']);
});

test('HTML that the site cannot show is refused', () => {
  const markdown = renderer((file, href) => 'there/' + href);
  assert.throws(() => markdown.render('a List<String> b', { file: 'a.md' }), /HTML in a.md.*<String>/);
  assert.equal(markdown.render('<!-- snippet: A.java#a -->\n', { file: 'a.md' }), '');
  assert.match(markdown.render('<img src="a.png" width="3">', { file: 'a.md' }), /src="there\/a.png" width="3"/);
});
