import { type FileRole, HEAD_BYTES, type TranscriptFormat } from '../../../core/sessions/transcript-format.ts';
import { readBeginning } from '../../../platform/transcripts/read-beginning.ts';

/** What a file is, and to whom. */
export interface KnownFile {
  readonly format: TranscriptFormat;
  readonly role: FileRole;
}

/** Says which agent wrote a file. */
export interface KnownFormats {
  recognise(path: string): KnownFile | undefined;
}

/** The first format that knows a file as its own has it. */
export function knownFormats(formats: readonly TranscriptFormat[]): KnownFormats {
  return {
    recognise(path) {
      let text: string | undefined;
      const beginning = () => {
        text ??= readBeginning(path, HEAD_BYTES) ?? '';
        return text;
      };
      const head = { path: path.replaceAll('\\', '/'), beginning };
      for (const format of formats) {
        const role = format.recognise(head);
        if (role !== undefined) return { format, role };
      }
      return undefined;
    },
  };
}
