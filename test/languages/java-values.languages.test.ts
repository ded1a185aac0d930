/** The lines of vectors.jsonl in generated Java: values-suite.ts. */
import { describeValues } from './values-suite.js';
import { java } from './support/java.js';

describeValues(java);
