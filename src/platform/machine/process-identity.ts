import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { ProcessIdentity } from '../../core/sessions/lease-holder.ts';
import { findProcess, run } from './find-process.ts';

/** What other processes, now and later, need to know this one by. */
export function currentProcess(): ProcessIdentity {
  return {
    host: hostname(),
    bootId: bootId(),
    pidNamespace: pidNamespace(),
    pid: process.pid,
    startedAt: findProcess(process.pid)?.startedAt ?? '',
  };
}

/**
 * Whether that very process still runs. `dead` is only said on evidence; a process of another machine, container or boot
 * is `unknown`, and its heartbeat decides.
 */
export function processState(identity: ProcessIdentity): 'alive' | 'dead' | 'unknown' {
  // Another boot is no evidence either: two machines that share a home may bear the same name.
  if (identity.host !== hostname() || identity.bootId !== bootId()) return 'unknown';
  if (identity.pidNamespace !== pidNamespace()) return 'unknown';
  const found = findProcess(identity.pid);
  if (found === undefined) return 'dead';
  const comparable = identity.startedAt !== '' && found.startedAt !== '';
  return comparable && identity.startedAt !== found.startedAt ? 'dead' : 'alive';
}

/** Changes with every start of the machine; '' where the system does not tell. */
export function bootId(): string {
  try {
    if (process.platform === 'linux') return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    // Not kern.boottime, which moves when the clock is set.
    if (process.platform === 'darwin') return run('sysctl', ['-n', 'kern.bootsessionuuid']);
  } catch {
    // Without it, processes are told apart by number and start time alone.
  }
  return '';
}

/** Process numbers mean something only inside it: containers each have their own. '' where the system has none. */
function pidNamespace(): string {
  if (process.platform !== 'linux') return '';
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
