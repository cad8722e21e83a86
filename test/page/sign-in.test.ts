import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { signOutBrowsers } from '../../src/app/access/page-key.ts';
import { createToken, revokeToken } from '../../src/app/access/token-files.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../src/core/time.ts';
import { manualClock, NOW } from '../support/clock.ts';
import { type Served, serveHome } from '../http/serve-home.ts';

interface Link {
  readonly path: string;
  readonly expiresAt: string;
}

async function linkOf({ ask }: Pick<Served, 'ask'>, headers = {}): Promise<Link> {
  return (await (await ask('/api/sign-in-links', { method: 'POST', headers })).json()) as Link;
}

function redeem({ server }: Pick<Served, 'server'>, { path }: Pick<Link, 'path'>): Promise<Response> {
  const code = path.replace('/#sign-in=', '');
  return fetch(`${server.url}/api/sign-in`, { method: 'POST', headers: { 'x-coppice-link': code } });
}

interface Browser {
  readonly cookie: string;
  readonly proof: string;
  readonly attributes: string;
}

async function signIn(served: Served, link?: Link): Promise<Browser> {
  const answer = await redeem(served, link ?? (await linkOf(served)));
  expect(answer.status).toBe(200);
  const [cookie = '', ...attributes] = (answer.headers.get('set-cookie') ?? '').split('; ');
  const { proof } = (await answer.json()) as { proof: string };
  return { cookie, proof, attributes: attributes.join('; ') };
}

/** A request as a page sends it that is signed in. */
function askAs({ server }: Pick<Served, 'server'>, { cookie, proof }: Pick<Browser, 'cookie' | 'proof'>) {
  return (path: string, { headers, ...init }: RequestInit = {}) =>
    fetch(`${server.url}${path}`, {
      ...init,
      headers: { cookie, 'x-coppice-proof': proof, 'sec-fetch-site': 'same-origin', ...headers },
    });
}

async function refusal(answer: Promise<Response>): Promise<[number, string]> {
  const { status, headers } = await answer;
  expect(headers.get('set-cookie')).toBeNull();
  return [status, ((await (await answer).json()) as { error: { message: string } }).error.message];
}

describe('signing a browser in', () => {
  it('takes a link that works once', async () => {
    const served = await serveHome({ clock: manualClock() });
    const link = await linkOf(served);
    expect(link).toMatchObject({
      path: expect.stringMatching(/^\/#sign-in=[\w-]{43}$/),
      expiresAt: new Date(NOW + MINUTE_MS).toISOString(),
    });
    const browser = await signIn(served, link);
    expect((await askAs(served, browser)('/api/home')).status).toBe(200);
    expect(await refusal(redeem(served, link))).toEqual([
      409,
      'This link was used already, or is older than a minute.',
    ]);
  });

  it('takes a link of the last minute, whatever becomes of the clock', async () => {
    const clock = manualClock();
    const served = await serveHome({ clock });
    const [late, early, good] = [await linkOf(served), await linkOf(served), await linkOf(served)];
    clock.advance(MINUTE_MS - 1);
    await signIn(served, good);
    clock.advance(1);
    expect((await refusal(redeem(served, late)))[0]).toBe(409);
    clock.advance(-2 * MINUTE_MS);
    expect((await refusal(redeem(served, early)))[0]).toBe(409);
    expect((await refusal(redeem(served, { path: '/#sign-in=' })))[0]).toBe(409);
  });

  it('gives a cookie that no script reads and no other site brings along', async () => {
    const { attributes, cookie } = await signIn(await serveHome({ clock: manualClock() }));
    expect(attributes).toBe(`Path=/api; HttpOnly; SameSite=Strict; Max-Age=${(7 * DAY_MS) / SECOND_MS}`);
    expect(cookie).toMatch(/^coppice_[0-9a-f]{12}=[\w-]+\.[\w-]{43}$/);
  });

  it('never tells the token, and leaves neither code nor proof on the disk', async () => {
    const served = await serveHome();
    const link = await linkOf(served, { 'idempotency-key': 'one' });
    const { proof, cookie } = await signIn(served, link);
    const told = JSON.stringify([link, proof, cookie, Buffer.from(cookie.split('=')[1] ?? '', 'base64url').toString()]);
    expect(told).not.toContain('T'.repeat(10));
    await served.server.stop(1000);
    await served.home.close();
    for (const name of ['state.db', 'page.key'])
      for (const secret of [proof, link.path.slice(10)])
        expect(readFileSync(join(served.home.path, name)).includes(secret)).toBe(false);
    if (process.platform !== 'win32') expect(statSync(join(served.home.path, 'page.key')).mode & 0o777).toBe(0o600);
  });

  it('needs a token to begin with', async () => {
    const { server } = await serveHome();
    expect((await fetch(`${server.url}/api/sign-in-links`, { method: 'POST' })).status).toBe(401);
  });

  it('is slowed down for whoever guesses', async () => {
    const served = await serveHome({ rate: { burst: 3000, perSecond: 1 }, clock: manualClock() });
    const statuses = [];
    for (let n = 0; n < 5; n += 1)
      statuses.push((await redeem(served, { path: `/#sign-in=${'x'.repeat(43)}` })).status);
    expect(statuses).toEqual([409, 409, 409, 429, 429]);
  });
});

describe('a browser that is signed in', () => {
  it('is refused without the proof, with a wrong one, and from any other page', async () => {
    const served = await serveHome();
    const browser = await signIn(served);
    const other = await signIn(served);
    const ask = askAs(served, browser);
    const NOT_THE_PAGE = [403, 'This request does not come from the page that was signed in.'];
    const OTHER_SITE = [403, 'Requests from pages of other sites are not answered.'];
    for (const method of ['GET', 'POST']) {
      const path = method === 'GET' ? '/api/home' : '/api/maintain/hold';
      expect(
        await refusal(fetch(`${served.server.url}${path}`, { method, headers: { cookie: browser.cookie } })),
      ).toEqual(NOT_THE_PAGE);
      for (const proof of ['', 'x', other.proof, `${browser.proof}x`])
        expect(await refusal(ask(path, { method, headers: { 'x-coppice-proof': proof } }))).toEqual(NOT_THE_PAGE);
      for (const site of ['cross-site', 'same-site', 'none'])
        expect(await refusal(ask(path, { method, headers: { 'sec-fetch-site': site } }))).toEqual(OTHER_SITE);
      expect(await refusal(ask(path, { method, headers: { origin: 'http://127.0.0.1:1' } }))).toEqual(OTHER_SITE);
    }
    expect((await ask('/api/home', { headers: { origin: served.server.url } })).status).toBe(200);
  });

  it('is nobody with a cookie that was changed, or was made by another home', async () => {
    const [served, stranger] = [await serveHome(), await serveHome()];
    const { cookie, proof } = await signIn(served);
    const [name = '', value = ''] = cookie.split('=');
    const [body = '', mark = ''] = value.split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as number[];
    const longer = Buffer.from(JSON.stringify([...claims.slice(0, 4), Number.MAX_SAFE_INTEGER])).toString('base64url');
    const foreign = await signIn(stranger);
    for (const bad of [`${name}=${longer}.${mark}`, `${name}=${body}`, `${name}=`, `${name}=.`, foreign.cookie, 'x=y'])
      expect((await refusal(askAs(served, { cookie: bad, proof })('/api/home')))[0]).toBe(401);
    // Two daemons of one machine are one site to a browser, which sends both cookies to both.
    const both = { cookie: `${foreign.cookie}; ${cookie}`, proof };
    expect((await askAs(served, both)('/api/home')).status).toBe(200);
  });

  it('may do what the token may that made its link, for as long as that is good', async () => {
    const clock = manualClock();
    const served = await serveHome({ clock });
    const { token } = createToken(served.home.path, {
      name: 'viewer',
      scopes: ['read'],
      expiresAt: NOW + 3 * DAY_MS,
      now: NOW,
    });
    const link = await linkOf(served, { authorization: `Bearer ${token}` });
    const ask = askAs(served, await signIn(served, link));
    expect((await ask('/api/sessions')).status).toBe(200);
    expect(await refusal(ask('/api/maintain/hold', { method: 'POST' }))).toEqual([
      403,
      expect.stringContaining('The token viewer may not do this'),
    ]);
    clock.advance(3 * DAY_MS);
    expect(await refusal(ask('/api/sessions'))).toEqual([401, 'This browser is not signed in any more.']);
    clock.advance(-DAY_MS);
    expect((await ask('/api/sessions')).status).toBe(200);
    const late = await linkOf(served, { authorization: `Bearer ${token}` });
    revokeToken(served.home.path, 'viewer');
    expect((await refusal(ask('/api/sessions')))[0]).toBe(401);
    expect((await refusal(redeem(served, late)))[0]).toBe(409);
  });

  it('stays signed in while it is used, a month at most', async () => {
    const clock = manualClock();
    const served = await serveHome({ clock });
    let browser: Pick<Browser, 'cookie' | 'proof'> = await signIn(served);
    const { proof } = browser;
    let renewals = 0;
    for (let day = 1; day < 30; day += 1) {
      clock.advance(DAY_MS);
      const answer = await askAs(served, browser)('/api/home');
      expect([day, answer.status]).toEqual([day, 200]);
      const [cookie] = (answer.headers.get('set-cookie') ?? '').split('; ');
      if (cookie === undefined || cookie === '') continue;
      browser = { cookie, proof };
      renewals += 1;
    }
    expect(renewals).toBeGreaterThan(3);
    clock.advance(DAY_MS);
    expect((await refusal(askAs(served, browser)('/api/home')))[0]).toBe(401);
  });

  it('is signed out after a week without use', async () => {
    const clock = manualClock();
    const served = await serveHome({ clock });
    const ask = askAs(served, await signIn(served));
    clock.advance(7 * DAY_MS);
    expect(await refusal(ask('/api/home'))).toEqual([401, 'This browser is not signed in any more.']);
  });

  it('is signed out with all others when the key is gone, and stays so when a new one is made', async () => {
    const served = await serveHome();
    const [one, two] = [await signIn(served), await signIn(served)];
    expect(signOutBrowsers(served.home.path)).toBe(true);
    expect(signOutBrowsers(served.home.path)).toBe(false);
    for (const browser of [one, two]) expect((await refusal(askAs(served, browser)('/api/home')))[0]).toBe(401);
    const three = await signIn(served);
    expect((await askAs(served, three)('/api/home')).status).toBe(200);
    expect((await refusal(askAs(served, one)('/api/home')))[0]).toBe(401);
  });

  it('is let in by no key that others could have written, or that is none', async () => {
    const served = await serveHome();
    const browser = await signIn(served);
    const file = join(served.home.path, 'page.key');
    if (process.platform !== 'win32') {
      chmodSync(file, 0o622);
      expect((await refusal(askAs(served, browser)('/api/home')))[0]).toBe(401);
      chmodSync(file, 0o600);
      expect((await askAs(served, browser)('/api/home')).status).toBe(200);
    }
    writeFileSync(file, '\n');
    expect((await refusal(askAs(served, browser)('/api/home')))[0]).toBe(401);
    expect((await askAs(served, await signIn(served))('/api/home')).status).toBe(200);
  });

  it('stays signed in when the daemon is started again, and can sign itself out', async () => {
    const first = await serveHome();
    const browser = await signIn(first);
    await first.server.stop(1000);
    await first.home.close();
    const served = await serveHome({ path: first.home.path });
    const ask = askAs(served, browser);
    expect((await ask('/api/home')).status).toBe(200);
    const out = await ask('/api/sign-out', { method: 'POST' });
    expect(out.headers.get('set-cookie')).toBe(
      `${browser.cookie.split('=')[0]}=; Path=/api; HttpOnly; SameSite=Strict; Max-Age=0`,
    );
  });

  it('asks for a thing twice under one key and gets it once, apart from other browsers', async () => {
    const served = await serveHome();
    const start = async (browser: Browser) => {
      const headers = { 'idempotency-key': 'same', 'content-type': 'application/json' };
      const answer = await askAs(served, browser)('/api/sessions', {
        method: 'POST',
        headers,
        body: JSON.stringify({ source: 'api' }),
      });
      return ((await answer.json()) as { id: string }).id;
    };
    const [one, two] = [await signIn(served), await signIn(served)];
    const id = await start(one);
    expect(await start(one)).toBe(id);
    expect(await start(two)).not.toBe(id);
  });
});
