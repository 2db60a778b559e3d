/** By what our own documents are told from others. */
export const documentFormat = 'talekeeper-campaign'
/** Grows when an older program could not read the document any more. New fields alone do not make it so. */
export const documentVersion = 1
/** The document in a zip. */
export const documentName = 'campaign.json'
