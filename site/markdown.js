// Markdown as GitHub shows it: the same anchors, tables, code, and Mermaid's pictures.
import hljs from 'highlight.js/lib/common';
import properties from 'highlight.js/lib/languages/properties';
import MarkdownIt from 'markdown-it';

hljs.registerLanguage('properties', properties);

export const escape = (text) =>
  text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);

/** Returns code as HTML with colors, or without if the language is not known. */
export function highlight(code, language) {
  return hljs.getLanguage(language) ? hljs.highlight(code, { language }).value : escape(code);
}

const plainText = (inline) =>
  inline.children
    .filter((token) => ['text', 'code_inline'].includes(token.type))
    .map((token) => token.content)
    .join('');

/** Returns GitHub's anchor of a heading; the second of the same name gets -1. */
function slug(text, used) {
  const plain = text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
  const count = used.get(plain) ?? 0;
  used.set(plain, count + 1);
  return count ? `${plain}-${count}` : plain;
}

const options = { html: true, linkify: true, highlight };

export const parse = (text) => new MarkdownIt(options).parse(text, {});

/** Returns the text of the first heading. */
export function headingText(tokens) {
  return tokens[0]?.type === 'heading_open' && tokens[0].tag === 'h1' ? plainText(tokens[1]) : null;
}

/** Returns the first sentences of a page, or the begin of a long one. */
export function description(tokens) {
  // the first paragraph of some pages is a link to the same page in another language
  const first = tokens.findIndex(
    (token, i) =>
      token.type === 'paragraph_open' && token.level === 0 && tokens[i + 1].children[0]?.type !== 'link_open',
  );
  const text =
    tokens[first + 1]?.children
      .map((token) =>
        /break$/.test(token.type) ? ' ' : ['text', 'code_inline'].includes(token.type) ? token.content : '',
      )
      .join('') ?? '';
  const sentences = text.match(/^.{30,200}?(?:。|\.(?= |$))(?:.{1,120}?\.(?= |$))?/);
  return sentences?.[0] ?? text.slice(0, 160).replace(/ \S*$/, ' …');
}

const IMAGE = /^(<img src=")([^"]+)("[^<>]*>)\s*$/;

/** Returns the addresses of all links and pictures. */
export function links(tokens) {
  return tokens
    .flatMap((token) => token.children ?? token)
    .map((token) => token.attrGet('href') ?? token.attrGet('src') ?? token.content.match(IMAGE)?.[2])
    .filter((address) => address !== undefined);
}

/** Returns the renderer for pages: `linked` turns a link in a file into one on the site. */
export function renderer(linked) {
  const markdown = new MarkdownIt(options);
  markdown.core.ruler.push('site', ({ tokens, env }) => {
    const used = new Map();
    tokens.forEach((token, i) => {
      if (token.type === 'heading_open') {
        token.attrSet('id', slug(plainText(tokens[i + 1]), used));
      }
      if (token.type === 'th_open' && tokens[i + 1].content === '') {
        token.tag = tokens[i + 2].tag = 'td'; // the corner of a table is no heading
      }
      for (const child of token.children ?? []) {
        const attribute = child.type === 'image' ? 'src' : 'href';
        const href = child.attrGet(attribute);
        if (href !== null) {
          child.attrSet(attribute, linked(env.file, href));
        }
        if (child.type === 'image') {
          child.attrSet('loading', 'lazy');
        }
      }
    });
  });

  const rules = markdown.renderer.rules;
  rules.heading_close = (tokens, i) => {
    const id = tokens[i - 2].attrGet('id');
    const link = `<a class="anchor" href="#${id}" aria-label="Link to this section" data-pagefind-ignore>#</a>`;
    return ` ${link}</${tokens[i].tag}>\n`;
  };
  rules.table_open = () => '<div class="table" tabindex="0"><table>\n';
  rules.table_close = () => '</table></div>\n';
  rules.html_block = rules.html_inline = (tokens, i, rendering, env) => {
    const html = tokens[i].content;
    if (/^<\/?(sub|sup|br)>$/.test(html)) {
      return html;
    }
    if (IMAGE.test(html)) {
      return html.replace(IMAGE, (all, before, src, after) => before + linked(env.file, src) + after);
    }
    if (!/^\s*<!--[^]*-->\s*$/.test(html)) {
      throw new Error(`HTML in ${env.file}, which the site does not show: ${html}`);
    }
    return '';
  };
  const fence = rules.fence;
  rules.fence = (tokens, i, ...rest) =>
    tokens[i].info.trim() === 'mermaid'
      ? `<pre class="mermaid" data-pagefind-ignore>${escape(tokens[i].content)}</pre>\n`
      : fence(tokens, i, ...rest).replace(/^<pre>/, '<pre tabindex="0">');
  return markdown;
}
