// Burns tokens as fast as it can and never stops by itself.
import { writeSync } from 'node:fs';

const fd = Number(process.env.COPPICE_EVENTS_FD);
for (;;) writeSync(fd, '{"coppice":"usage","model":"m-1","inputTokens":1000,"outputTokens":100}\n');
