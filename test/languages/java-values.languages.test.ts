/** The lines of vectors.jsonl in generated Java: support/values-suite.ts. */
import { describeValues } from './support/values-suite.js';
import { java } from './support/java.js';

describeValues(java);
