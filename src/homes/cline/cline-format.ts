import { basename } from 'node:path';
import type { FileHead, FileRole, TranscriptFormat } from '../../core/sessions/transcript-format.ts';
import { readTask } from './read-task.ts';

/** The tasks of Cline, Roo Code and their kin: a folder each, with the talk as the model saw it. */
export const clineFormat: TranscriptFormat = {
  name: 'cline',
  title: 'Cline or Roo Code',
  recognise,
  read: (file, signal) => readTask(file.path, signal),
};

function recognise({ path, beginning }: FileHead): FileRole | undefined {
  const name = basename(path);
  if (name === 'api_conversation_history.json')
    return beginning().trimStart().startsWith('[') ? 'transcript' : undefined;
  return BESIDE.has(name) && /\/tasks\//.test(path) ? 'beside' : undefined;
}

const BESIDE = new Set([
  'ui_messages.json',
  'task_metadata.json',
  'context_history.json',
  'history_item.json',
  'settings.json',
  '_index.json',
]);
