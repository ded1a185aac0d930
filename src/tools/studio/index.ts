/** The studio: a page over a database, served on this machine. */
export { startStudio, type Studio, type StudioOptions } from './studio.js';
