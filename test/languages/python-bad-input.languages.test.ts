/** Bad input of generated Python: bad-input-suite.ts. */
import { describeBadInput } from './bad-input-suite.js';
import { python } from './support/python.js';

describeBadInput(python, {
  entity: 'Class_',
  keys: ['for_', 'none', 'none_2'],
  columns: ['import_', 'import__2'],
  settled: 'settled',
});
