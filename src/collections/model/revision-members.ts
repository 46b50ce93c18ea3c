// The members that a revision has beside the state of its document.

/** The member of a revision that names its collection. Answers do not show it. */
export const REVISION_OWNER = 'originalCollection';

/** The member of the last revision of a removed document that tells when it was removed and by whom; gone when it comes back. */
export const REVISION_REMOVAL = 'originalRemoval';

/** The path of that moment. */
export const REMOVED_AT = `${REVISION_REMOVAL}.at`;

/** What the server keeps in revisions for itself: answers do not show it. */
export const HIDDEN_REVISION_MEMBERS: readonly string[] = [REVISION_OWNER, REVISION_REMOVAL];

/** What a revision holds beside the state of the document. */
export const REVISION_MEMBERS: readonly string[] = [
  'action',
  'originalDocumentId',
  ...HIDDEN_REVISION_MEMBERS,
];
