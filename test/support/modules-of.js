// Runs a command of the built program from its single modules, and writes into MODULES_FILE which of them were loaded, one in each line.
import { writeFileSync } from 'node:fs';
import { register } from 'node:module';
import { MessageChannel } from 'node:worker_threads';

const { port1, port2 } = new MessageChannel();
const loaded = [];
port1.on('message', (url) => loaded.push(url)).unref();
const hooks = `let port;
export const initialize = (given) => void (port = given);
export const load = (url, context, next) => (port.postMessage(url), next(url, context));`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`, { data: port2, transferList: [port2] });
const dist = new URL('../../dist/', import.meta.url);
const { main } = await import(new URL('cli/main.js', dist));
const { runProcess } = await import(new URL('cli/run-process.js', dist));
await runProcess(process, main);
// What was loaded last may not have been told yet.
await new Promise((resolve) => setTimeout(resolve, 100));
const own = loaded.filter((url) => url.startsWith(dist.href)).map((url) => url.slice(dist.href.length));
writeFileSync(process.env.MODULES_FILE, own.join('\n'));
