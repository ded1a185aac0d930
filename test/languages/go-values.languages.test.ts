/** The lines of vectors.jsonl in generated Go: values-suite.ts. */
import { describeValues } from './values-suite.js';
import { go } from './support/go.js';

describeValues(go);
