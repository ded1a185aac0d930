/** The lines of vectors.jsonl in generated Go: support/values-suite.ts. */
import { describeValues } from './support/values-suite.js';
import { go } from './support/go.js';

describeValues(go);
