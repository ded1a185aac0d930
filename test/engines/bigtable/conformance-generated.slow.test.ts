/** The conformance suite on the live engine through Google's generated client. */
import { describeEngine } from '../conformance.js';
import { openOverOurServer } from './live-backends.js';

describeEngine('the live engine over our server, through the generated client', (clock) =>
  openOverOurServer({ clock }, { transport: 'generated' }),
);
