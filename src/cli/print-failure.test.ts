import { expect, it } from 'vitest';
import { captureIo } from '../../test/capture-io.ts';
import { Failure } from '../core/failure.ts';
import { printFailure } from './print-failure.ts';

const missing = new Failure('not-found', 'There is no session x.', { hint: 'Run: coppice sessions list' });

it('prints the sentence and the next step on stderr, and returns the exit code', () => {
  const { io, out, err } = captureIo();
  expect(printFailure(io, missing)).toBe(10);
  expect(err()).toBe('coppice: There is no session x.\nRun: coppice sessions list\n');
  expect(out()).toBe('');
});

it('prints one line of JSON for programs', () => {
  const { io, out, err } = captureIo();
  expect(printFailure(io, missing, { json: true })).toBe(10);
  expect(err()).toBe(
    '{"schemaVersion":1,"error":{"code":"not-found","message":"There is no session x.","hint":"Run: coppice sessions list","exitCode":10}}\n',
  );
  expect(out()).toBe('');
});

it('says how to see more of an unexpected error, and shows it when asked', () => {
  const error = new Error('boom');
  const quiet = captureIo();
  expect(printFailure(quiet.io, error)).toBe(1);
  expect(quiet.err()).toBe(
    'coppice: Something went wrong that Coppice did not expect: boom\nSet COPPICE_DEBUG=1 and run the command again to see where it happened.\n',
  );
  const loud = captureIo({ env: { COPPICE_DEBUG: '1' } });
  printFailure(loud.io, error, { json: true });
  expect(JSON.parse(loud.err())).toMatchObject({ error: { code: 'failed', stack: error.stack } });
});

it('prints hostile text as text', () => {
  const { io, err } = captureIo();
  printFailure(io, new Failure('usage', 'Not \x1b[2J.'));
  expect(err()).toBe('coppice: Not ␛[2J.\n');
});

it('copes with what is not an error', () => {
  const { io, err } = captureIo();
  expect(printFailure(io, 'text')).toBe(1);
  expect(err()).toContain('did not expect: text');
});
