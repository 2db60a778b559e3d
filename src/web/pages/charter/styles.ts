import { styleSheet } from '../../shell/style-sheet.ts'
import url from '../../styles/table.page.css'

await styleSheet(url)
