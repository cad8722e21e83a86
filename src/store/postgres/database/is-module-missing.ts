import { errorCode } from '../../../platform/error-code.ts';

/** Whether something could not be loaded because it is not installed. */
export function isModuleMissing(error: unknown): boolean {
  return ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(errorCode(error) ?? '');
}
