import { routeDocument } from '../../app/documents/gateway-document.ts';
import type { Route } from '../../core/gateway/route-book.ts';
import type { CommandInput } from '../command.ts';
import { formatAge, formatCount } from '../print/format.ts';
import { hintCommand } from '../hint-command.ts';
import { writeJsonList } from '../print/json-output.ts';
import { mapped } from '../mapped.ts';
import { safeText } from '../print/safe-text.ts';
import { renderTable } from '../print/table.ts';
import { withAppRecords } from '../with-app.ts';
import type { RoutesOptions } from './options.ts';

/** `coppice sessions routes` */
export function run(input: CommandInput<RoutesOptions>): Promise<number> {
  const { io, global, options } = input;
  return withAppRecords(input, async (home) => {
    if (global.json) {
      await writeJsonList(io.out, { name: 'routes', items: mapped(home.gateway.routes(options), routeDocument) });
      return 0;
    }
    const routes: Route[] = [];
    for await (const route of home.gateway.routes(options)) routes.push(route);
    if (routes.length === 0) {
      const whose = options.source === undefined ? 'No key' : `No key of the source ${safeText(options.source)}`;
      io.out.write(
        `${whose} has a session yet.\nStart one with: ${hintCommand(global, 'sessions', 'resolve', 'KEY')}\n`,
      );
      return 0;
    }
    const now = io.clock.now();
    io.out.write(
      renderTable({
        columns: [
          { title: 'KEY', shrink: true },
          { title: 'SESSION' },
          { title: 'MESSAGES', align: 'right' },
          { title: 'LAST USED' },
          { title: 'STATE' },
        ],
        rows: routes.map((route) => row(route, now)),
        width: io.out.columns,
        colour: io.out.colour,
      }),
    );
    return 0;
  });
}

function row({ key, session }: Route, now: number): string[] {
  if (session === undefined) return [key, 'removed', '', '', 'starts afresh at the next message'];
  const state = session.endedAt === undefined ? 'open' : `ended: ${session.endReason ?? ''}`;
  return [key, session.id, formatCount(session.messageCount), formatAge(session.lastActiveAt, now), state];
}
