// Runs command lines one after the other in one process, as the built program would, and says of each what came of it: a test can
// end this process when one of them hangs, and knows which.
import { main } from '../../dist/cli/main.js';

const [, , home, lines] = process.argv;
for (const line of JSON.parse(lines)) {
  process.stdout.write(`${JSON.stringify({ begun: line })}\n`);
  let text = '';
  const output = {
    write: (piece) => (text += piece),
    drained: async () => undefined,
    isTerminal: false,
    columns: Infinity,
  };
  const plain = new Proxy({}, { get: () => (word) => word });
  const io = {
    out: { ...output, colour: plain },
    err: { ...output, colour: plain },
    env: { HOME: home },
    cwd: '/',
    stdinIsTerminal: false,
    question: async () => '',
    signal: new AbortController().signal,
    clock: { now: () => Date.now() },
  };
  const code = await main([...line, '--home', home], io);
  process.stdout.write(`${JSON.stringify({ code, text })}\n`);
}
