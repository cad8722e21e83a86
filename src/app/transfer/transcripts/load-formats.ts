import type { TranscriptFormat } from '../../../core/sessions/transcript-format.ts';

/** How the transcripts of other agents are read, in the order in which a file is offered to them. Loaded when files are imported. */
export async function loadFormats(): Promise<readonly TranscriptFormat[]> {
  const [chat, codex, copilot, pi, gemini, claude, opencode, cline] = await Promise.all([
    import('./chat-format.ts'),
    import('../../../homes/codex/codex-format.ts'),
    import('../../../homes/copilot/copilot-format.ts'),
    import('../../../homes/pi/pi-format.ts'),
    import('../../../homes/gemini-cli/gemini-format.ts'),
    import('../../../homes/claude-code/claude-format.ts'),
    import('../../../homes/opencode/opencode-format.ts'),
    import('../../../homes/cline/cline-format.ts'),
  ]);
  return [
    codex.codexFormat,
    copilot.copilotFormat,
    pi.piFormat,
    gemini.geminiFormat,
    claude.claudeFormat,
    opencode.opencodeFormat,
    cline.clineFormat,
    chat.chatFormat,
  ];
}
