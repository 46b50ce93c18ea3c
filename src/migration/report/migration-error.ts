// What keeps a command from being done at all, in words for whoever typed it.

/** The message is one line, and names what would be right. */
export class MigrationError extends Error {}
