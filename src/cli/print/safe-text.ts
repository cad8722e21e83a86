/**
 * Text from sessions may hold anything, and a terminal obeys control characters. What is printed for people goes
 * through one of these two; both leave letters of every language alone.
 */

/** One line: every control character and direction override becomes a visible symbol. */
export function safeText(text: string): string {
  return text.replace(LINE_BREAKS, '⏎').replace(CONTROLS, symbol);
}

/** Several lines: like `safeText`, but line breaks and tabs stay. */
export function safeLines(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(CONTROLS, (control) => (/[\n\t]/.test(control) ? control : symbol(control)));
}

const LINE_BREAKS = /\r\n|[\n\u2028\u2029]/g;
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** ␛ for escape, and so on. Unicode has no picture for the controls above DEL and for direction overrides. */
function symbol(control: string): string {
  const code = control.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '␡' : '\ufffd';
}
