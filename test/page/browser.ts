import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';

/** Where a Chromium is on this machine; undefined where there is none. */
export const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);

if (CHROMIUM === undefined)
  console.log('There is no Chromium on this machine, so the page is not tested in a browser.');

/** What a browser would ask others for by itself. */
const QUIET = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

let browser: Promise<Browser> | undefined;

export interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the page complained of: errors of scripts, and what the policy kept out. */
  readonly complaints: readonly string[];
  /** Every address that was asked for. */
  readonly addresses: readonly string[];
}

export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
}

/** A window of its own, which knows nothing of others. */
export async function openBrowser({ width = 1280, height = 850, scheme = 'light' }: Look = {}): Promise<Opened> {
  browser ??= chromium.launch({ executablePath: CHROMIUM ?? '', args: QUIET });
  const context = await (await browser).newContext({ viewport: { width, height }, colorScheme: scheme });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  const addresses: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('request', (request) => addresses.push(request.url()));
  return { page, context, complaints, addresses };
}

/** Ends the browser of this file of tests. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Nothing stands in the way of people who read, see or point in another way. */
export async function expectAccessible(page: Page, where: string): Promise<void> {
  // Not as a script of the page: its policy would keep that out.
  await page.evaluate(readFileSync(AXE, 'utf8'));
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  });
  expect([where, violations]).toEqual([where, []]);
}

/** A link as `coppice open` makes one, by the built program. Not waited for in the way of the server, which may be in this process. */
export async function linkTo(url: string, token: string): Promise<string> {
  const env = { PATH: process.env['PATH'], COPPICE_TOKEN: token };
  const line = ['bin/coppice.js', 'open', '--json', '--remote', url];
  const { stdout } = await promisify(execFile)(process.execPath, line, { env });
  return (JSON.parse(stdout) as { link: string }).link;
}
