import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { type RunOptions, start } from '../e2e/run-coppice.ts';

export interface DaemonProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly url: string;
  readonly tokenPath: string;
  readonly token: string;
  readonly client: ReturnType<typeof createClient>;
}

/** Starts the built daemon as a service manager would, and waits until it listens. It does not outlive the test. */
export async function startDaemon(
  home: string,
  args: readonly string[] = ['--port', '0'],
  options: RunOptions = {},
): Promise<DaemonProcess> {
  const child = start(home, ['serve', '--json', ...args], options);
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stderr.resume();
  const { url, tokenPath } = await ready(child);
  const token = readFileSync(tokenPath, 'utf8').trim();
  const client = createClient({ url, token });
  return { child, url, tokenPath, token, client };
}

/** Ends it with a signal and returns how it ended. */
export async function endDaemon({ child, client }: DaemonProcess, signal: NodeJS.Signals): Promise<number | null> {
  client[Symbol.dispose]();
  child.kill(signal);
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

async function ready(child: ChildProcessWithoutNullStreams): Promise<{ url: string; tokenPath: string }> {
  let text = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    text += String(chunk);
    if (text.endsWith('}\n')) return JSON.parse(text) as { url: string; tokenPath: string };
  }
  throw new Error(`The daemon ended before it listened: ${text}`);
}
