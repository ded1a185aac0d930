/** The promises of an engine, kept by the live one: over our own server. */
import { describeEngine } from '../conformance.js';
import { openOverOurServer } from './live-backends.js';

describeEngine('the live engine over our server', (clock) => openOverOurServer({ clock }));
