; The set-up for Windows, for one user and without administrator rights. "npm run package" makes it and gives:
;   VERSION       such as 1.2.0-rc.1          NUMBERS   the same as four numbers
;   SOURCE        folder of the executable    OUTPUT    the set-up to write
;   ICON          the program's .ico          TRAY      file name of the tray helper
;   SIDEBAR       picture of the first page
; Without a window: setup.exe /S [/NOAUTOSTART] [/D=C:\folder], and Uninstall.exe /S [/DELETEDATA].
; Exit codes: 0 done, 1 cancelled, 2 a copy runs that does not close.

Unicode true
Target amd64-unicode
ManifestDPIAware true
!include "MUI2.nsh"
!include "FileFunc.nsh"
!include "LogicLib.nsh"
!include "Sections.nsh"

!define NAME "Talekeeper"
!define PUBLISHER "Talekeeper contributors"
!define UNINSTALL_KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\${NAME}"
!define RUN_KEY "Software\Microsoft\Windows\CurrentVersion\Run"

Name "${NAME}"
OutFile "${OUTPUT}"
InstallDir "$LOCALAPPDATA\Programs\${NAME}"
InstallDirRegKey HKCU "Software\${NAME}" "InstallDir"
RequestExecutionLevel user
; The executable and its console twin differ in one byte: with a dictionary that holds both, one of them costs nothing.
SetCompressor /SOLID lzma
SetCompressorDictSize 128
BrandingText "${NAME} ${VERSION}"

VIProductVersion "${NUMBERS}"
VIFileVersion "${NUMBERS}"
VIAddVersionKey "ProductName" "${NAME}"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "FileDescription" "${NAME} set-up"
VIAddVersionKey "CompanyName" "${PUBLISHER}"
VIAddVersionKey "LegalCopyright" "Copyright (c) 2026 ${PUBLISHER}. MIT license."

!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define MUI_WELCOMEFINISHPAGE_BITMAP "${SIDEBAR}"
!define MUI_ABORTWARNING
!define MUI_WELCOMEPAGE_TEXT "This installs ${NAME} ${VERSION} for you alone; no administrator is needed.$\r$\n$\r$\nA copy that is running is asked to close. Your campaigns are kept."
!define MUI_COMPONENTSPAGE_SMALLDESC
!define MUI_FINISHPAGE_RUN "$INSTDIR\talekeeper.exe"
!define MUI_FINISHPAGE_RUN_TEXT "Start ${NAME}; it opens your browser"
!insertmacro MUI_PAGE_WELCOME
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_COMPONENTS
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_COMPONENTS
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"

; Asks a running copy to close, and goes on when its files can be replaced.
!macro CloseRunning UN
Function ${UN}CloseRunning
  ${Unless} ${FileExists} "$INSTDIR\talekeeper.com"
    Return
  ${EndUnless}
  DetailPrint "Asking ${NAME} to close"
  nsExec::Exec '"$INSTDIR\talekeeper.com" stop'
  Pop $0
  StrCpy $2 0
  look:
    StrCpy $3 ""
    ; Windows lets nobody write to a program that runs.
    ${If} ${FileExists} "$INSTDIR\talekeeper.exe"
      ClearErrors
      FileOpen $1 "$INSTDIR\talekeeper.exe" a
      ${If} ${Errors}
        StrCpy $3 "talekeeper.exe"
      ${Else}
        FileClose $1
      ${EndIf}
    ${EndIf}
    ClearErrors
    FileOpen $1 "$INSTDIR\talekeeper.com" a
    ${If} ${Errors}
      StrCpy $3 "talekeeper.com"
    ${Else}
      FileClose $1
    ${EndIf}
    ClearErrors
    ${If} $3 == ""
      Return
    ${EndIf}
    ; It has answered and is on its way out.
    IntOp $2 $2 + 1
    ${If} $2 < 20
      Sleep 500
      Goto look
    ${EndIf}
  ${If} ${Silent}
    SetErrorLevel 2
    Abort
  ${EndIf}
  MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "${NAME} ($3) is still running. Close it, and any AI client that is connected to it, such as Claude Desktop; then choose Retry." IDRETRY again
  SetErrorLevel 2
  Abort
  again:
    StrCpy $2 0
    Goto look
FunctionEnd
!macroend
!insertmacro CloseRunning ""
!insertmacro CloseRunning "un."

Section "${NAME}" SecProgram
  SectionIn RO
  Call CloseRunning
  ; What an older version had and this one has not must not stay.
  RMDir /r "$INSTDIR\natives"
  RMDir /r "$INSTDIR\traybin"
  SetOutPath "$INSTDIR"
  File "${SOURCE}\talekeeper.exe"
  File "${SOURCE}\talekeeper.com"
  File "${SOURCE}\LICENSES"
  File "/oname=talekeeper.ico" "${ICON}"
  SetOutPath "$INSTDIR\natives"
  File /r "${SOURCE}\natives\*.*"
  SetOutPath "$INSTDIR\traybin"
  File "${SOURCE}\traybin\${TRAY}"
  SetOutPath "$INSTDIR"
  WriteUninstaller "$INSTDIR\Uninstall.exe"

  WriteRegStr HKCU "Software\${NAME}" "InstallDir" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayName" "${NAME}"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayIcon" "$INSTDIR\talekeeper.ico"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "Publisher" "${PUBLISHER}"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "UninstallString" '"$INSTDIR\Uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL_KEY}" "QuietUninstallString" '"$INSTDIR\Uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL_KEY}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL_KEY}" "NoRepair" 1
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  WriteRegDWORD HKCU "${UNINSTALL_KEY}" "EstimatedSize" $0
  CreateShortCut "$SMPROGRAMS\${NAME}.lnk" "$INSTDIR\talekeeper.exe" "" "$INSTDIR\talekeeper.ico"
  ; Set anew by the section below when it is chosen.
  DeleteRegValue HKCU "${RUN_KEY}" "${NAME}"
SectionEnd

Section "Start when I sign in to Windows" SecLogin
  WriteRegStr HKCU "${RUN_KEY}" "${NAME}" '"$INSTDIR\talekeeper.exe" --hidden'
SectionEnd

LangString DescriptionProgram ${LANG_ENGLISH} "The program and its entry in the Start menu."
LangString DescriptionLogin ${LANG_ENGLISH} "It then sits in the tray, players find it, and backups are made by themselves."
!insertmacro MUI_FUNCTION_DESCRIPTION_BEGIN
  !insertmacro MUI_DESCRIPTION_TEXT ${SecProgram} $(DescriptionProgram)
  !insertmacro MUI_DESCRIPTION_TEXT ${SecLogin} $(DescriptionLogin)
!insertmacro MUI_FUNCTION_DESCRIPTION_END

Function .onInit
  ; An upgrade keeps what was chosen before.
  ReadRegStr $0 HKCU "Software\${NAME}" "InstallDir"
  ReadRegStr $1 HKCU "${RUN_KEY}" "${NAME}"
  ${If} $0 != ""
  ${AndIf} $1 == ""
    !insertmacro UnselectSection ${SecLogin}
  ${EndIf}
  ${GetParameters} $0
  ClearErrors
  ${GetOptions} $0 "/NOAUTOSTART" $1
  ${Unless} ${Errors}
    !insertmacro UnselectSection ${SecLogin}
  ${EndUnless}
  ClearErrors
FunctionEnd

Section "un.${NAME}" UnProgram
  SectionIn RO
  Call un.CloseRunning
  DeleteRegValue HKCU "${RUN_KEY}" "${NAME}"
  DeleteRegKey HKCU "${UNINSTALL_KEY}"
  DeleteRegKey HKCU "Software\${NAME}"
  Delete "$SMPROGRAMS\${NAME}.lnk"
  RMDir /r "$INSTDIR\natives"
  RMDir /r "$INSTDIR\traybin"
  Delete "$INSTDIR\talekeeper.exe"
  Delete "$INSTDIR\talekeeper.com"
  Delete "$INSTDIR\talekeeper.ico"
  Delete "$INSTDIR\LICENSES"
  Delete "$INSTDIR\Uninstall.exe"
  ; Not with all that is in it: somebody may keep a folder "data" here.
  RMDir "$INSTDIR"
SectionEnd

Section /o "un.Delete my campaigns and backups" UnData
  ${Unless} ${Silent}
    MessageBox MB_YESNO|MB_ICONEXCLAMATION|MB_DEFBUTTON2 "Really delete all campaigns, pictures and backups in $LOCALAPPDATA\${NAME}? This cannot be undone." IDYES delete
    Return
  ${EndUnless}
  delete:
  RMDir /r "$LOCALAPPDATA\${NAME}"
SectionEnd

LangString DescriptionUnProgram ${LANG_ENGLISH} "Removes the program. Campaigns and backups stay in $LOCALAPPDATA\${NAME}; the next installation finds them."
LangString DescriptionUnData ${LANG_ENGLISH} "Deletes $LOCALAPPDATA\${NAME} with all campaigns, pictures and backups in it."
!insertmacro MUI_UNFUNCTION_DESCRIPTION_BEGIN
  !insertmacro MUI_DESCRIPTION_TEXT ${UnProgram} $(DescriptionUnProgram)
  !insertmacro MUI_DESCRIPTION_TEXT ${UnData} $(DescriptionUnData)
!insertmacro MUI_UNFUNCTION_DESCRIPTION_END

Function un.onInit
  ${GetParameters} $0
  ClearErrors
  ${GetOptions} $0 "/DELETEDATA" $1
  ${Unless} ${Errors}
    !insertmacro SelectSection ${UnData}
  ${EndUnless}
  ClearErrors
FunctionEnd
