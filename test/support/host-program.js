// A program that used SQLite before it used Coppice, and said nothing about addresses in its environment.
import BetterSqlite3 from 'better-sqlite3';
import { openHome } from '../../dist/index.js';

new BetterSqlite3(':memory:').close();
const before = { ...process.env };
const sessions = [];
const home = await openHome({ path: process.argv[2], create: false, reading: 'records' });
for await (const { id } of home.sessions.list()) {
  const texts = [];
  for await (const { content } of (await home.sessions.open(id)).messages()) texts.push(content);
  sessions.push({ id, texts });
}
await home.close();
const environment = Object.keys({ ...before, ...process.env }).filter((name) => before[name] !== process.env[name]);
process.stdout.write(JSON.stringify({ sessions, environment }));
