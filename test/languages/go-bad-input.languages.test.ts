/** Bad input of generated Go: bad-input-suite.ts. */
import { describeBadInput } from './bad-input-suite.js';
import { go } from './support/go.js';

describeBadInput(go, {
  entity: 'Class',
  keys: ['For', 'None', 'None_2'],
  columns: ['IMPORT', 'Import_2'],
  settled: 'Settled',
});
