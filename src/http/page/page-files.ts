import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { PAGE_PATHS } from '../../core/page-paths.ts';
import { type RawCall, type RawRoute, rawRoute } from '../route.ts';
import { namesTag, PACKERS, packerFor, tagOf } from '../send.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Nothing of another origin, no script but ours, no markup of others in a frame or form. Images of agents come as data. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/**
 * The routes of the page: one for each of its files, which are read once and served from memory. A request only ever names one of
 * these, so there is no path by which it could reach another file. They hold nothing of the home, so nobody needs to sign in for them.
 */
export function pageRoutes(folder: string): RawRoute[] {
  if (!existsSync(join(folder, 'index.html'))) return [];
  const index = readFileSync(join(folder, 'index.html'), 'utf8');
  const assets = readdirSync(join(folder, 'assets'));
  return [
    ...PAGE_PATHS.map((path) => fileRoute({ path, text: index, type: '.html', kept: 'no-cache' })),
    ...assets.map((name) =>
      fileRoute({
        path: `/assets/${name}`,
        text: readFileSync(join(folder, 'assets', name), 'utf8'),
        type: extname(name),
        // What is in it is in its name.
        kept: 'public, max-age=31536000, immutable',
      }),
    ),
  ];
}

interface PageFile {
  readonly path: `/${string}`;
  readonly text: string;
  readonly type: string;
  readonly kept: string;
}

function fileRoute({ path, text, type, kept }: PageFile): RawRoute {
  const contentType = TYPES[type] ?? 'application/octet-stream';
  const tag = tagOf(text);
  const packed = new Map<keyof typeof PACKERS, Promise<Buffer>>();
  const respond = async ({ request, response }: RawCall): Promise<void> => {
    const head = { ...HEADERS, 'content-type': contentType, 'cache-control': kept, etag: tag, vary: 'accept-encoding' };
    if (namesTag(request.headers['if-none-match'], tag)) {
      response.writeHead(304, head).end();
      return;
    }
    const packer = packerFor(request.headers['accept-encoding']);
    if (packer !== undefined && !packed.has(packer)) packed.set(packer, PACKERS[packer](text));
    const body = (packer && (await packed.get(packer))) ?? text;
    response.writeHead(200, {
      ...head,
      'content-length': Buffer.byteLength(body),
      ...(packer !== undefined && { 'content-encoding': packer }),
    });
    response.end(body);
  };
  return rawRoute({ method: 'GET', path, scope: 'none', summary: 'The page.', contentType, respond });
}
