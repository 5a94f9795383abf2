// Serves the finished site as a host of static files does, in the folder /docs/.
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const www = fileURLToPath(new URL('target/www/', import.meta.url));
const types = {
  html: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  json: 'application/json',
  svg: 'image/svg+xml',
  wasm: 'application/wasm',
};

export const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://host');
  if (pathname === '/') {
    response.writeHead(302, { location: '/docs/' }).end();
    return;
  }
  if (pathname === '/favicon.ico') {
    // belongs to the host; browsers ask for it on pages without an icon, as Javadoc's are
    response.writeHead(204).end();
    return;
  }
  const file = path.join(www, decodeURIComponent(pathname).replace(/^\/docs\//, '/'));
  const found = existsSync(file) && statSync(file).isDirectory() ? path.join(file, 'index.html') : file;
  if (!pathname.startsWith('/docs/') || !found.startsWith(www) || !existsSync(found)) {
    response.writeHead(404, { 'content-type': types.html });
    createReadStream(path.join(www, '404.html')).pipe(response);
    return;
  }
  response.writeHead(200, { 'content-type': types[found.split('.').pop()] ?? 'application/octet-stream' });
  createReadStream(found).pipe(response);
});

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  server.listen(8087, '127.0.0.1', () => console.log('http://localhost:8087/docs/'));
}
