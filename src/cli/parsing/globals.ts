/** Options of every command, anywhere on the line. */
import type { OptionSpecs } from '../command.js';

/** In the order of help. */
export const globals = {
  config: {
    type: 'text',
    value: 'FILE',
    about:
      'Config of the project. Default: the nearest rowsmith.config.ts (or .mts, .js, .mjs, .cjs) ' +
      'in this folder or the folders above',
    kind: 'file',
  },
  json: {
    type: 'flag',
    about: 'Machine-readable: standard output holds only JSON, errors included',
  },
  'no-color': {
    type: 'flag',
    about: 'Plain text. Also the default if NO_COLOR is set or output is not a terminal',
  },
  help: { type: 'flag', about: 'Help for a command, like `rowsmith help COMMAND`' },
  version: { type: 'flag', about: 'The version of rowsmith' },
} as const satisfies OptionSpecs;
