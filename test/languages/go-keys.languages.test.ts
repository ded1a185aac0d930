/** Keys in generated Go: support/keys-suite.ts. `ENTITIES=50 SEED=new` runs other and more entities. */
import { describeKeys } from './support/keys-suite.js';
import { go } from './support/go.js';

describeKeys(go);
