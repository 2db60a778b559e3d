import { styleSheet } from '../../shell/style-sheet.ts'
import url from '../../styles/relations.page.css'

await styleSheet(url)
