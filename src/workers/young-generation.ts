// The size of the young generation of worker threads.

/** Of `resourceLimits`: three times a semi-space, as V8 counts. Its default is 48. */
export const MAX_YOUNG_GENERATION_MB = 12;
