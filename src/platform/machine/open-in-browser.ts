import { spawn } from 'node:child_process';

/**
 * Opens an address in the browser of whoever sits at this machine. False where there is no screen, or nothing that would open one:
 * then a person has to do it.
 */
export function openInBrowser(url: string, env: Readonly<Record<string, string | undefined>>): Promise<boolean> {
  const [program, ...args] = openerOf(env);
  if (program === undefined) return Promise.resolve(false);
  const child = spawn(program, [...args, url], { env, stdio: 'ignore', detached: true });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

function openerOf(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  if (process.platform === 'darwin') return ['open'];
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  const { DISPLAY, WAYLAND_DISPLAY } = env;
  return DISPLAY === undefined && WAYLAND_DISPLAY === undefined ? [] : ['xdg-open'];
}
