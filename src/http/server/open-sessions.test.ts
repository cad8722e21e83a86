import { describe, expect, it, onTestFinished } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { openHome } from '../../app/open-home.ts';
import { MINUTE_MS } from '../../core/time.ts';
import { OpenSessions } from './open-sessions.ts';

describe('OpenSessions', () => {
  it('lets go of a session that no client has used for a while, and takes it up again', async () => {
    const home = await openHome({ path: `${tempDir()}/home` });
    onTestFinished(() => home.close());
    let now = 0;
    const open = new OpenSessions(home.sessions, { now: () => now });
    const held = async () => (await home.sessions.holders()).flatMap(({ sessionIds }) => sessionIds);
    const [quiet, busy] = [
      await home.sessions.create({ source: 'api' }),
      await home.sessions.create({ source: 'api' }),
    ];
    for (const session of [quiet, busy]) open.use(session, await session.facts());
    now = 9 * MINUTE_MS;
    await open.open(busy.id);
    now = 12 * MINUTE_MS;
    await open.releaseIdle();
    expect(await held()).toEqual([busy.id]);
    await (await open.open(quiet.id)).append({ role: 'user', content: 'again' });
    expect((await held()).toSorted()).toEqual([quiet.id, busy.id].toSorted());
  });

  it('knows no session that is not there', async () => {
    const home = await openHome({ path: `${tempDir()}/home` });
    onTestFinished(() => home.close());
    await expect(new OpenSessions(home.sessions, Date).open('nothing')).rejects.toMatchObject({ code: 'not-found' });
  });
});
