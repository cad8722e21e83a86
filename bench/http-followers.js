// Clients that follow the events of a daemon and throw away what they are told: a process of their own, so that what reading costs them
// is not taken from those who append.
import { once } from 'node:events';
import { connect } from 'node:net';

const [, , port, headers, count] = process.argv;
await Promise.all(Array.from({ length: Number(count) }, follow));
process.send('following');

async function follow() {
  const socket = connect({ port: Number(port), host: '127.0.0.1' });
  socket.write(`GET /api/events HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${headers}\r\n`);
  const [head] = await once(socket, 'data');
  if (!String(head).startsWith('HTTP/1.1 200')) throw new Error(String(head));
  socket.resume();
}
