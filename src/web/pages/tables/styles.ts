import { styleSheet } from '../../shell/style-sheet.ts'
import url from '../../styles/tables.page.css'

await styleSheet(url)
