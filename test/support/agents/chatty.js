// Says everything that there is an event for, byte by byte, with some lines that are no events between them.
import { writeSync } from 'node:fs';

const lines = [
  '{"coppice":"title","title":"Größe prüfen 東京"}',
  'not JSON',
  '',
  '{"coppice":"message","role":"user","content":"hello"}',
  '{"coppice":"dance"}',
  '{"coppice":"usage","model":"m-1","inputTokens":-1}',
  '{"coppice":"tool","name":"bash","ok":false,"id":"1","args":{"command":"ls"},"later":true}',
  '{"coppice":"note","text":"no line break at the end"}',
];
const bytes = Buffer.from(lines.join('\n'));
for (let at = 0; at < bytes.length; at += 1) writeSync(3, bytes, at, 1);
