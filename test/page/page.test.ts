import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { signOutBrowsers } from '../../src/app/access/page-key.ts';
import type { Home } from '../../src/app/home.ts';
import { openHome } from '../../src/app/open-home.ts';
import { PAGE_PATHS } from '../../src/core/page-paths.ts';
import { DAY_MS } from '../../src/core/time.ts';
import { endDaemon, startDaemon } from '../http/daemon-process.ts';
import { type Served, serveHome, TOKEN } from '../http/serve-home.ts';
import { ROOT } from '../support/documentation.ts';
import { tempDir } from '../support/temp-dir.ts';
import { CHROMIUM, closeBrowser, expectAccessible, type Look, linkTo, openBrowser } from './browser.ts';

const HOSTILE = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>';
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Sessions of a year, most of them past their retention, and one with everything that an agent could write to do harm. */
async function fill(home: Pick<Home, 'sessions'>, clock: { at: number }, count = 60): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    clock.at += (360 * DAY_MS) / count;
    const session = await home.sessions.create({
      id: `session-${n}`,
      source: n % 3 === 0 ? 'cron' : 'cli',
      title: `Look for needle ${n}`,
    });
    for (let m = 0; m < 8; m += 1) await session.append({ role: 'user', content: `Where is needle ${n}, ${m}?` });
    await session.recordUsage({ model: 'm', inputTokens: 1000, outputTokens: 100, costUsd: 0.5 });
    await session.end('done');
  }
  const hostile = await home.sessions.create({ id: HOSTILE, source: 'cli', title: HOSTILE });
  await hostile.tag({ add: [HOSTILE] });
  await hostile.appendAll([
    { role: 'user', content: HOSTILE },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: HOSTILE },
        { type: 'text', text: HOSTILE },
        { type: 'image_url', image_url: { url: 'http://192.0.2.1/pixel.png' } },
        { type: 'image_url', image_url: { url: 'javascript:document.title="owned"' } },
        { type: 'image', source: { type: 'base64', media_type: 'image/svg+xml', data: btoa(HOSTILE) } },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
      ],
      toolCalls: [{ id: '1', name: HOSTILE, arguments: { command: HOSTILE } }],
    },
    { role: 'tool', toolCallId: '1', name: HOSTILE, content: HOSTILE, failed: true },
  ]);
}

async function served(): Promise<Served> {
  const path = `${tempDir()}/home`;
  const clock = { at: Date.now() - 365 * DAY_MS };
  const home = await openHome({ path, clock: { now: () => clock.at } });
  await fill(home, clock);
  await home.close();
  return serveHome({ path, pageFolder: join(ROOT, 'dist/web') });
}

async function opened(at: Pick<Served, 'server'>, look?: Look) {
  const opening = await openBrowser(look);
  await opening.page.goto(await linkTo(at.server.url, TOKEN));
  await opening.page.waitForSelector('header nav');
  return opening;
}

describe.runIf(CHROMIUM)('the page, in a browser', () => {
  afterAll(closeBrowser);

  it('signs in by a link, takes its code out of the address, and keeps no token', async () => {
    const home = await served();
    const { page, context, complaints, addresses } = await opened(home);
    expect(page.url()).toBe(`${home.server.url}/`);
    const kept = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage, document.cookie])');
    expect(kept).not.toContain(TOKEN);
    expect(kept).not.toContain('coppice_');
    // Another window of the same browser is signed in, too.
    const second = await context.newPage();
    await second.goto(`${home.server.url}/sessions`);
    await second.waitForSelector('.rows tbody tr');
    expect(addresses.filter((address) => !address.startsWith(home.server.url) && !address.startsWith('data:'))).toEqual(
      [],
    );
    expect(complaints).toEqual([]);
  });

  it('says what to type to whoever is not signed in, whose link was used, or who was signed out', async () => {
    const home = await served();
    const { page } = await openBrowser();
    await page.goto(home.server.url);
    await page.waitForSelector('text=This browser is not signed in.');
    await expectAccessible(page, 'signed out');
    const link = await linkTo(home.server.url, TOKEN);
    await page.goto(link);
    await page.waitForSelector('header nav');
    const { page: other } = await openBrowser();
    await other.goto(link);
    await other.waitForSelector('text=This link was used already');
    signOutBrowsers(home.home.path);
    await page.click('nav >> text=Sessions');
    await page.waitForSelector('text=This browser is not signed in.');
  });

  it.each([
    { width: 360, height: 780, scheme: 'dark' },
    { width: 1280, height: 850, scheme: 'light' },
    { width: 1280, height: 850, scheme: 'dark' },
    { width: 3840, height: 2000, scheme: 'light' },
  ] as const)('can be read by everybody at $width, $scheme', async (look) => {
    const home = await served();
    const { page, complaints } = await opened(home, look);
    for (const path of PAGE_PATHS) {
      await page.goto(`${home.server.url}${path}${path === '/session' ? '?id=session-1' : ''}`);
      await page.waitForSelector('h1');
      await page.waitForSelector('.state .spinner', { state: 'detached' });
      await expectAccessible(page, `${path} ${look.width} ${look.scheme}`);
      const isTooWide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
      expect([path, isTooWide]).toEqual([path, false]);
    }
    expect(complaints).toEqual([]);
  });

  it('shows what agents wrote as text, whatever it is, and asks nobody else for it', async () => {
    const home = await served();
    const { page, complaints, addresses } = await opened(home);
    await page.goto(`${home.server.url}/sessions`);
    await page.click('.rows tbody a.name >> nth=0');
    await page.waitForSelector('.message.tool');
    await page.evaluate('document.querySelectorAll("details").forEach((one) => { one.open = true; })');
    expect(await page.locator('h1').textContent()).toBe(HOSTILE);
    expect(await page.locator('.message.user .said').textContent()).toBe(HOSTILE);
    expect(await page.locator('main script, main iframe, main img[onerror], main object').count()).toBe(0);
    // The one image of pixels is shown; drawings that could hold scripts and images of others are named.
    expect(await page.locator('main img').count()).toBe(1);
    expect(await page.title()).toBe('Coppice');
    expect(addresses.filter((address) => !address.startsWith(home.server.url) && !address.startsWith('data:'))).toEqual(
      [],
    );
    expect(complaints).toEqual([]);
  });

  it('cuts the home back as shown, without what was unticked, and gives it back', async () => {
    const home = await served();
    const { page } = await opened(home);
    const before = (await home.home.sessions.stats()).total.sessions;
    await page.click('text=See what can go');
    await page.waitForSelector('.plan .group li');
    const name = (await page.locator('.plan .group li a.name').first().getAttribute('href')) ?? '';
    const left = new URL(name, home.server.url).searchParams.get('id') ?? '';
    await page.locator('.plan .group li input').first().uncheck();
    const words = (await page.locator('.carry-out button').textContent()) ?? '';
    const [, goes = ''] = /Remove (\d+) items/.exec(words) ?? [];
    await page.click('.carry-out button');
    await page.waitForSelector('.receipt');
    expect(await page.locator('.receipt').textContent()).toContain(`${goes} items done`);
    expect((await home.home.sessions.stats()).total.sessions).toBe(before - Number(goes));
    expect(await home.home.sessions.get(left)).toBeDefined();
    await expectAccessible(page, 'receipt');
    await page.click('.receipt button:has-text("Undo")');
    await page.waitForSelector(`.receipt >> text=${goes} items given back`);
    expect((await home.home.sessions.stats()).total.sessions).toBe(before);
  });

  it('finds, chooses and changes sessions by keys alone, and what it shows stands in the address', async () => {
    const home = await served();
    const { page } = await opened(home);
    await page.keyboard.press('/');
    await page.waitForSelector('#search:focus');
    await page.keyboard.type('"needle 7"');
    await page.waitForSelector('mark');
    expect(new URL(page.url()).searchParams.get('q')).toBe('"needle 7"');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.message.hit');
    await page.goBack();
    await page.waitForSelector('mark');
    await page.goto(`${home.server.url}/sessions?source=cron&sort=size`);
    await page.waitForSelector('text=20 sessions');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.waitForSelector('text=2 chosen');
    await page.click('.batch >> text=/^Pin$/');
    await expect
      .poll(async () => (await home.home.sessions.page({ filter: { pinned: true } })).sessions.length)
      .toBe(2);
    await page.click('.batch >> text=Choose none');
    await page.click('text=Delete all 20…');
    await page.waitForSelector('dialog .plan');
    expect(await page.locator('dialog').textContent()).toMatch(/1[0-9] items would go/);
    await expectAccessible(page, 'dialog');
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog', { state: 'detached' });
    expect((await home.home.sessions.stats()).total.sessions).toBe(61);
  });

  it('says when the daemon is gone, when it is back, and is signed in still', async () => {
    const path = `${tempDir()}/home`;
    const port = 20_000 + (process.pid % 20_000);
    const first = await startDaemon(path, ['--port', String(port)]);
    const { page } = await openBrowser();
    await page.goto(await linkTo(first.url, first.token));
    await page.waitForSelector('text=Nothing needs you.');
    await endDaemon(first, 'SIGKILL');
    await page.click('nav >> text=Sessions');
    await page.waitForSelector('.notice.bad >> text=The daemon does not answer.');
    await startDaemon(path, ['--port', String(port)]);
    await page.waitForSelector('text=The daemon was started again.');
    await page.click('text=Load anew');
    await page.waitForSelector('text=There are no sessions yet.');
    expect(await page.locator('.notice').count()).toBe(0);
  });
});
