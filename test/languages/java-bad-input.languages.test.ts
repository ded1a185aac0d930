/** Bad input of generated Java: bad-input-suite.ts. */
import { describeBadInput } from './bad-input-suite.js';
import { java } from './support/java.js';

describeBadInput(java, {
  entity: 'Class_',
  keys: ['for_', 'none', 'none_2'],
  columns: ['import_', 'import__2'],
  settled: 'settled',
});
